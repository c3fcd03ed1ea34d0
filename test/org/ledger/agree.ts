import { expect } from "vitest";
import { formatUsd } from "../../../src/domain/money.ts";
import type { Limit } from "./model-rows.ts";
import type { Play } from "./play.ts";

function shown({ unit = "usd" }: Limit, amount: bigint): string | number {
  return unit === "usd" ? formatUsd(amount) : Number(amount);
}

const ALL = {
  limit: 200,
  sort: { field: "group", descending: false },
  after: null,
  filters: {},
  scope: "",
};

/** Every counter of a budget that has one for each group. */
async function agreeOnGroups({ world, model }: Pick<Play, "world" | "model">): Promise<void> {
  const limits = model.limits.filter(({ groupBy }) => groupBy !== undefined);
  const told = await world.queries(limits.map(({ id }) => ["listBudgetGroups", { id, list: ALL }]));
  for (const [at, limit] of limits.entries()) {
    const groups = told[at].data as { group_values: object; spent: unknown; reserved: unknown }[];
    const counted = groups
      .map((one) => [JSON.stringify(Object.values(one.group_values)), one.spent, one.reserved] as const)
      .filter(([, spent, held]) => Number(spent) !== 0 || Number(held) !== 0);
    const expected = model
      .counters(limit)
      .map(([subject, spent, held]) => [subject, shown(limit, spent), shown(limit, held)] as const);
    expect([limit.id, counted.toSorted(bySubject)]).toEqual([limit.id, expected.toSorted(bySubject)]);
  }
}

function bySubject([one]: readonly unknown[], [other]: readonly unknown[]): number {
  return String(one) < String(other) ? -1 : 1;
}

/** Compares every counter that the object shows or stores with the sum of the model's rows. */
export async function agree({ world, model }: Play): Promise<void> {
  const limits = model.limits.filter(
    ({ kind, scopeId, groupBy }) =>
      (kind === "budget" && groupBy === undefined) || (kind === "customer_limit" && scopeId !== "*"),
  );
  const expected: unknown[] = [];
  const asks: (readonly [string, object])[] = [];
  for (const limit of limits) {
    asks.push([limit.kind === "budget" ? "getBudget" : "getCustomerLimit", { id: limit.id }]);
    const amounts = [model.spent(limit, "", model.hour), model.held(limit, "", model.hour)];
    expected.push([limit.id, ...amounts.map((amount) => shown(limit, amount))]);
  }
  for (const pack of model.packs) {
    asks.push(["getCreditPack", { id: pack.id }]);
    expected.push([pack.id, formatUsd(model.drawn(pack)), formatUsd(model.reserved(pack))]);
  }
  const told = await world.queries([...asks, ["getPlan", {}]]);
  const plan = told.pop();
  expect(told.map((one) => [one.id, one.spent ?? one.spent_usd, one.reserved ?? one.reserved_usd])).toEqual(
    expected,
  );
  await agreeOnGroups({ world, model });
  const [runs, tokens] = ["plan_runs", "plan_tokens"].map((id) => {
    const limit = model.limits.find((one) => one.id === id);
    return limit === undefined ? 0 : Number(model.spent(limit, "", model.hour));
  });
  expect([plan.runs_used, plan.tokens_used]).toEqual([runs, tokens]);
  const rows = await world.usage();
  // A period can be given back more than was spent in it.
  const givesBack = model.adjustments.some(({ amount }) => amount < 0n);
  const counted = rows.flatMap((row) => [row.over, row.held, row.leased, ...(givesBack ? [] : [row.spent])]);
  expect(counted.filter((text) => text.startsWith("-"))).toEqual([]);
  expect(await world.over()).toEqual(model.over.map(({ run, limit, amount }) => ({ run, limit, amount })));
  for (const limit of model.limits) {
    const held = rows.filter((row) => row.meter_id === limit.id).map((row) => BigInt(row.held));
    expect([limit.id, held.reduce((sum, one) => sum + one, 0n)]).toEqual([limit.id, model.heldAtAll(limit)]);
  }
  expect((await world.runIds()).toSorted()).toEqual(model.runs.map((run) => run.id).toSorted());
}
