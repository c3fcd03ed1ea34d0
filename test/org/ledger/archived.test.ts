import * as fc from "fast-check";
import { test } from "vitest";
import { agree } from "./agree.ts";
import { opened, PATIENCE_MS, RUNS } from "./playing.ts";
import { step } from "./steps.ts";

const archivedLedger = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
  const play = await opened();
  for (const next of steps) {
    await play.step(next);
    await play.world.archive();
    await agree(play);
  }
});

test(
  "the ledger equals its model with every run in the archive between any two steps",
  async () => {
    await fc.assert(archivedLedger, { numRuns: Math.ceil(RUNS / 3), endOnFailure: true });
  },
  PATIENCE_MS,
);
