import * as fc from "fast-check";
import { expect, test } from "vitest";
import { aRun, newSpender, type Spender } from "../support/ledger.ts";
import { newBudget } from "../support/new-budget.ts";
import { call } from "../support/worker.ts";

const LATE = { count_from: "period_start" } as const;
const ORG = { scope_kind: "org" } as const;
const CHARGED = { on_expiry: "charge" } as const;

const get = async (org: Spender, id: string) => (await org.send("GET", `budgets/${id}`)).body;
const patch = (org: Spender, id: string, body: object) => org.send("PATCH", `budgets/${id}`, body);
const adjust = (org: Spender, id: string, amount_usd: string) =>
  call("POST", `/v1/runs/${id}/adjustments`, { key: org.key, body: { amount_usd, reason: "invoice" } });

const BUDGETS = [
  { ...ORG, period: "month" },
  { ...ORG, period: "day", timezone: "America/New_York" },
  { scope_kind: "workflow", scope_id: "w1", period: "week", anchor_day: 3, unit: "tokens" },
  { match: { model: "gpt-*", tags: { team: "red" } }, period: "total", unit: "runs" },
  { match: { customer_id: ["c1", "c2"] }, group_by: ["user_id"], period: "year" },
] as const;

const names = fc.record({
  model: fc.constantFrom("gpt-1", "gpt-2", "o3"),
  workflow_id: fc.constantFrom("w1", "w2"),
  customer_id: fc.constantFrom("c1", "c2", "c3"),
  user_id: fc.constantFrom("u1", "u2"),
  tags: fc.constantFrom({ team: "red" }, { team: "blue" }),
});
const spending = fc.record({
  names,
  cost_usd: fc.integer({ min: 0, max: 900 }).map((cents) => (cents / 100).toFixed(2)),
  usage: fc.record({ input_tokens: fc.nat(50), output_tokens: fc.nat(50) }),
});
type Spending = typeof spending extends fc.Arbitrary<infer Value> ? Value : never;

/** What may happen. Numbers choose among the runs and reservations that there are. */
const happening = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("run" as const), of: spending }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("bulk" as const),
      of: fc.array(spending, { minLength: 2, maxLength: 4 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("decide" as const), of: spending, isCharged: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("settle" as const), of: spending, which: fc.nat() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("release" as const), which: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("adjust" as const),
      which: fc.nat(),
      amount: fc.constantFrom("0.75", "-0.01"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("again" as const), which: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("wait" as const), seconds: fc.constantFrom(60, 1000, 40_000) }),
  },
);
type Happening = typeof happening extends fc.Arbitrary<infer Value> ? Value : never;

class History {
  readonly #org: Spender;
  readonly #runs: Record<string, unknown>[] = [];
  readonly #held: { readonly id: string; readonly of: Spending }[] = [];

  constructor(org: Spender) {
    this.#org = org;
  }

  async go(on: Happening): Promise<void> {
    if (on.kind === "run") await this.#record([on.of], {});
    if (on.kind === "bulk") await this.#record(on.of, {});
    if (on.kind === "decide") await this.#decide(on.of, on.isCharged);
    if (on.kind === "wait") await this.#org.advance(on.seconds);
    if (on.kind === "settle") await this.#settle(on.of, on.which);
    if (on.kind === "release") {
      const held = this.#held[on.which % Math.max(1, this.#held.length)];
      if (held !== undefined) await this.#org.release(held.id);
    }
    const run = this.#runs["which" in on ? on.which % Math.max(1, this.#runs.length) : 0];
    if (run === undefined) return;
    if (on.kind === "adjust") await adjust(this.#org, String(run["id"]), on.amount);
    if (on.kind === "again") await this.#org.run(run);
  }

  async #record(all: readonly Spending[], more: object): Promise<void> {
    const runs = all.map(({ names: said, ...rest }, at) =>
      aRun({ id: `r-${this.#runs.length + at}`, ...said, ...rest, ...more }),
    );
    if (runs.length === 1) await this.#org.run(runs[0]);
    else await this.#org.bulk(runs);
    this.#runs.push(...runs);
  }

  async #decide(of: Spending, isCharged: boolean): Promise<void> {
    const { input_tokens, output_tokens: max_output_tokens } = of.usage;
    const estimate = { cost_usd: of.cost_usd, input_tokens, max_output_tokens };
    const more = { estimate, ...of.names, ...(isCharged ? CHARGED : {}) };
    const { body } = await this.#org.decide(of.cost_usd, more);
    if (body.reservation) this.#held.push({ id: body.reservation.id, of });
  }

  /** A run that names what its reservation does, of another cost. */
  async #settle(cost: Spending, which: number): Promise<void> {
    const held = this.#held[which % Math.max(1, this.#held.length)];
    if (held !== undefined)
      await this.#record([{ ...cost, names: held.of.names }], { reservation_id: held.id });
  }
}

async function counted(org: Spender, id: string): Promise<unknown> {
  const { spent: own, group_by: groupBy } = await get(org, id);
  if (groupBy.length === 0) return own;
  const { data } = (await org.send("GET", `budgets/${id}/groups`)).body;
  const groups = data as { group: string; spent: string }[];
  return groups.filter((one) => Number(one.spent) !== 0).map((one) => [one.group, one.spent]);
}

test("a budget that is created late counts the same as one that was there before everything", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(happening, { minLength: 4, maxLength: 16 }),
      fc.array(happening, { minLength: 2, maxLength: 10 }),
      fc.array(happening, { maxLength: 6 }),
      async (before, between, after) => {
        const org = await newSpender();
        const create = (more: object) =>
          Promise.all(
            BUDGETS.map(async (one) => {
              const limit = { limit_usd: undefined, limit: "unit" in one ? 1_000_000 : "100000" };
              return (await newBudget(org, { ...one, ...limit, mode: "shadow", ...more })).id;
            }),
          );
        const early = await create({});
        const history = new History(org);
        const agree = async (late: readonly string[]) => {
          const all = (ids: readonly string[]) => Promise.all(ids.map((id) => counted(org, id)));
          expect(await all(late)).toEqual(await all(early));
        };
        for (const on of before) await history.go(on);
        await org.advance(1);
        const late = await create(LATE);
        const later = await create({});
        await agree(late);
        for (const on of between) await history.go(on);
        await agree(late);
        for (const id of later) await patch(org, id, LATE);
        await agree(later);
        for (const on of after) await history.go(on);
        await agree(late);
        await agree(later);
        for (const id of [...early, ...late, ...later]) {
          const { period } = await get(org, id);
          await patch(org, id, { period: period === "month" ? "quarter" : "month", anchor_day: null });
        }
        await agree(late);
        await agree(later);
      },
    ),
    // To shrink a case would take hundreds of organizations.
    { numRuns: 4, endOnFailure: true },
  );
});
