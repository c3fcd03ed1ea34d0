import * as fc from "fast-check";
import { expect, test } from "vitest";
import { formatUsd } from "../../../src/domain/money.ts";
import { Play } from "./play.ts";
import seeds from "./seeds.json" with { type: "json" };
import { step } from "./steps.ts";

/** Short in the suite; set VITE_LEDGER_RUNS for a long one. */
const RUNS = Number((import.meta as { env?: Record<string, string> }).env?.["VITE_LEDGER_RUNS"] ?? 25);

/** Every counter that the object shows or keeps, against the sum of the model's rows. */
async function agree({ world, model }: Play): Promise<void> {
  for (const limit of model.limits) {
    if (limit.kind !== "budget" && !(limit.kind === "customer_limit" && limit.scopeId !== "*")) continue;
    const query = limit.kind === "budget" ? "getBudget" : "getCustomerLimit";
    const shown = await world.query(query, { id: limit.id });
    const spent = model.spent(limit, "", model.hour);
    const held = model.held(limit, "", model.hour);
    expect([limit.id, shown.spent_usd, shown.reserved_usd]).toEqual([
      limit.id,
      formatUsd(spent),
      formatUsd(held),
    ]);
  }
  for (const pack of model.packs) {
    const shown = await world.query("getCreditPack", { id: pack.id });
    expect(shown.remaining_usd).toBe(formatUsd(model.remaining(pack)));
  }
  const plan = await world.query("getPlan", {});
  const [runs, tokens] = ["plan_runs", "plan_tokens"].map((id) => {
    const limit = model.limits.find((one) => one.id === id);
    return limit === undefined ? 0 : Number(model.spent(limit, "", model.hour));
  });
  expect([plan.runs_used, plan.tokens_used]).toEqual([runs, tokens]);
  for (const row of await world.usage()) {
    for (const counter of [row.spent, row.over, row.held, row.leased]) {
      expect(BigInt(counter)).toBeGreaterThanOrEqual(0n);
    }
  }
  expect((await world.runIds()).toSorted()).toEqual(model.runs.map((run) => run.id).toSorted());
}

const ledger = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
  const play = new Play();
  await play.world.open();
  for (const next of steps) {
    await play.step(next);
    await agree(play);
  }
});

test.each(seeds as { seed: number; path: string }[])(
  "the ledger agrees with its model where it once did not: %j",
  async (known) => {
    await fc.assert(ledger, { ...known, numRuns: 1, endOnFailure: true });
  },
  120_000,
);

test("over any sequence of calls, restarts, lost and doubled replies and clock jumps, the ledger is its model", async () => {
  await fc.assert(ledger, { numRuns: RUNS, interruptAfterTimeLimit: 60_000 + RUNS * 2000 });
}, 3_600_000);
