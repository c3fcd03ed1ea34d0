import * as fc from "fast-check";
import { expect, test } from "vitest";
import { PATIENCE_MS, playAll, RUNS } from "./playing.ts";
import { slicedStep } from "./steps.ts";

/** Each of them takes several calls of isolates. */
const FEWER_RUNS = Math.ceil(RUNS / 3);

test(
  "what isolates decide from slices is held, settled, given back or charged once, as in the model",
  async () => {
    let decided = 0;
    const steps = fc.array(slicedStep, { minLength: 10, maxLength: 40 });
    const played = fc.asyncProperty(steps, async (all) => {
      decided += (await playAll(all)).sliced;
    });
    await fc.assert(played, { numRuns: FEWER_RUNS, endOnFailure: true });
    expect(decided).toBeGreaterThan(FEWER_RUNS);
  },
  PATIENCE_MS,
);
