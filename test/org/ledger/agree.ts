import { expect } from "vitest";
import { formatUsd } from "../../../src/domain/price/money.ts";
import type { Limit } from "./model-rows.ts";
import type { Play } from "./play.ts";

function shown({ unit = "usd" }: Limit, amount: bigint): string | number {
  return unit === "usd" ? formatUsd(amount) : Number(amount);
}

interface Listed {
  readonly data: readonly { group_values: object; spent: unknown; reserved: unknown }[];
}

const ALL = {
  limit: 200,
  sort: { field: "group", descending: false },
  after: null,
  filters: {},
  scope: "",
};

const isGrouped = ({ groupBy }: Limit): boolean => groupBy !== undefined;

/** Every counter of a budget that has one for each group. */
function agreeOnGroups({ model }: Play, answers: readonly Listed[]): void {
  const limits = model.limits.filter(isGrouped);
  expect(answers).toHaveLength(limits.length);
  for (const [at, limit] of limits.entries()) {
    const counted = (answers[at]?.data ?? [])
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

/** What is asked about limits and credit packs that have one counter, and what the model says of each. */
function expectedOf(model: Play["model"]): { asks: [string, object][]; expected: unknown[] } {
  const limits = model.limits.filter(
    (limit) =>
      (limit.kind === "budget" && !isGrouped(limit)) ||
      (limit.kind === "customer_limit" && limit.scopeId !== "*"),
  );
  const expected: unknown[] = [];
  const asks: [string, object][] = [];
  for (const limit of limits) {
    asks.push([limit.kind === "budget" ? "getBudget" : "getCustomerLimit", { id: limit.id }]);
    const amounts = [model.spent(limit, "", model.hour), model.held(limit, "", model.hour)];
    expected.push([limit.id, ...amounts.map((amount) => shown(limit, amount))]);
  }
  for (const pack of model.packs) {
    asks.push(["getCreditPack", { id: pack.id }]);
    expected.push([pack.id, formatUsd(model.drawn(pack)), formatUsd(model.reserved(pack))]);
  }
  return { asks, expected };
}

/** Compares every counter that the object shows or stores with the sum of the model's rows. */
export async function agree(play: Play): Promise<void> {
  const { world, model } = play;
  const { asks, expected } = expectedOf(model);
  const lists = model.limits
    .filter(isGrouped)
    .map(({ id }) => ["listBudgetGroups", { id, list: ALL }] as const);
  const { answers, usage: rows, over, runIds } = await world.look([["getPlan", {}], ...asks, ...lists]);
  const [plan, ...told] = answers;
  const groups = told.splice(asks.length);
  expect(told.map((one) => [one.id, one.spent ?? one.spent_usd, one.reserved ?? one.reserved_usd])).toEqual(
    expected,
  );
  agreeOnGroups(play, groups);
  const [runs, tokens] = ["plan_runs", "plan_tokens"].map((id) => {
    const limit = model.limits.find((one) => one.id === id);
    return limit === undefined ? 0 : Number(model.spent(limit, "", model.hour));
  });
  expect([plan.runs_used, plan.tokens_used]).toEqual([runs, tokens]);
  // A period can be given back more than was spent in it.
  const givesBack = model.adjustments.some(({ amount }) => amount < 0n);
  const counted = rows.flatMap((row) => [row.over, row.held, row.leased, ...(givesBack ? [] : [row.spent])]);
  expect(counted.filter((text) => text.startsWith("-"))).toEqual([]);
  expect(over).toEqual(model.over.map(({ run, limit, amount }) => ({ run, limit, amount })));
  for (const limit of model.limits) {
    const held = rows.filter((row) => row.meter_id === limit.id).map((row) => BigInt(row.held));
    expect([limit.id, held.reduce((sum, one) => sum + one, 0n)]).toEqual([limit.id, model.heldAtAll(limit)]);
  }
  expect(runIds.toSorted()).toEqual(model.runs.map((run) => run.id).toSorted());
}
