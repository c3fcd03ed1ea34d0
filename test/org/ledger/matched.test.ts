import * as fc from "fast-check";
import { test } from "vitest";
import { PATIENCE_MS, playAll, RUNS } from "./playing.ts";
import { namedStep } from "./steps.ts";

const matched = fc.asyncProperty(fc.array(namedStep, { minLength: 10, maxLength: 40 }), async (steps) => {
  await playAll(steps);
});

test(
  "the ledger equals its model with budgets that match calls, in any unit, by groups, in a time zone and from any day",
  async () => {
    await fc.assert(matched, { numRuns: Math.ceil(RUNS / 2), endOnFailure: true });
  },
  PATIENCE_MS,
);
