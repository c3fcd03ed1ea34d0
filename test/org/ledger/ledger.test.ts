import * as fc from "fast-check";
import { expect, test } from "vitest";
import { PATIENCE_MS, playAll, RUNS } from "./playing.ts";
import seeds from "./seeds.json" with { type: "json" };
import { step } from "./steps.ts";

let runsPlayed = 0;
let stepsPlayed = 0;

const ledger = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
  await playAll(steps);
  runsPlayed++;
  stepsPlayed += steps.length;
});

test.each(seeds as { seed: number; path: string }[])(
  "the ledger agrees with its model where it once did not: %j",
  async (known) => {
    await fc.assert(ledger, { ...known, numRuns: 1, endOnFailure: true });
  },
);

test(
  "over any sequence of calls, restarts, lost and repeated replies and clock changes, the ledger equals its model",
  async () => {
    // The printed seed and path are enough to repeat it. Shrinking would take minutes.
    await fc.assert(ledger, { numRuns: RUNS, endOnFailure: true });
    expect([runsPlayed >= RUNS, stepsPlayed > RUNS * 5]).toEqual([true, true]);
  },
  PATIENCE_MS,
);
