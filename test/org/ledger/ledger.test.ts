import * as fc from "fast-check";
import { expect, test } from "vitest";
import { agree } from "./agree.ts";
import { Play } from "./play.ts";
import seeds from "./seeds.json" with { type: "json" };
import { namedStep, type Step, step } from "./steps.ts";

/** Short in the suite; set VITE_LEDGER_RUNS for a long one. */
const RUNS = Number((import.meta as { env?: Record<string, string> }).env?.["VITE_LEDGER_RUNS"] ?? 25);

let runsPlayed = 0;
let stepsPlayed = 0;

async function playAll(steps: readonly Step[]): Promise<void> {
  const play = new Play();
  await play.world.open();
  for (const next of steps) {
    await play.step(next);
    await agree(play);
    stepsPlayed++;
  }
  runsPlayed++;
}

const ledger = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), playAll);
const matched = fc.asyncProperty(fc.array(namedStep, { minLength: 10, maxLength: 40 }), playAll);

type Between = "nothing" | "fold" | "wake" | "ask";

/** What may happen to the object between two calls. Whoever is asked for a sum folds the journal first. */
const BETWEEN: readonly (readonly [name: string, between: readonly Between[], runs: number])[] = [
  ["a fold", ["fold"], Math.ceil(RUNS / 5)],
  ["a wake", ["wake"], Math.ceil(RUNS / 5)],
  ["nothing", ["nothing"], Math.ceil(RUNS / 5)],
  ["any of these", ["nothing", "nothing", "fold", "wake", "ask"], Math.ceil(RUNS / 2)],
];

const unasked = (between: readonly Between[]) =>
  fc.asyncProperty(
    fc.array(fc.tuple(step, fc.constantFrom(...between)), { minLength: 10, maxLength: 40 }),
    async (steps) => {
      const play = new Play();
      await play.world.open();
      for (const [next, then] of steps) {
        await play.step(next);
        if (then === "fold") await play.world.fold();
        if (then === "wake") await play.world.evict();
        if (then === "ask") await agree(play);
      }
      await agree(play);
    },
  );

const archivedLedger = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
  const play = new Play();
  await play.world.open();
  for (const next of steps) {
    await play.step(next);
    await play.world.archive();
    await agree(play);
  }
});

test("the ledger equals its model with every run in the archive between any two steps", async () => {
  await fc.assert(archivedLedger, { numRuns: Math.ceil(RUNS / 3), endOnFailure: true });
}, 3_600_000);

test.each(seeds as { seed: number; path: string }[])(
  "the ledger agrees with its model where it once did not: %j",
  async (known) => {
    await fc.assert(ledger, { ...known, numRuns: 1, endOnFailure: true });
  },
);

test("over any sequence of calls, restarts, lost and repeated replies and clock changes, the ledger equals its model", async () => {
  // The printed seed and path are enough to repeat it. Shrinking would take minutes.
  await fc.assert(ledger, { numRuns: RUNS, endOnFailure: true });
  expect([runsPlayed >= RUNS, stepsPlayed > RUNS * 5]).toEqual([true, true]);
}, 3_600_000);

test.each(BETWEEN)(
  "the ledger equals its model with %s between any two calls",
  async (_name, between, numRuns) => {
    await fc.assert(unasked(between), { numRuns, endOnFailure: true });
  },
  3_600_000,
);

test("the same holds of budgets that match calls, in any unit, by groups, in a time zone and from any day", async () => {
  await fc.assert(matched, { numRuns: RUNS, endOnFailure: true });
}, 3_600_000);
