import * as fc from "fast-check";
import { test } from "vitest";
import { agree } from "./agree.ts";
import { opened, PATIENCE_MS, RUNS } from "./playing.ts";
import { step } from "./steps.ts";

type Between = "nothing" | "checkpoint" | "wake" | "ask";

/** What may happen to the object between two calls. Whoever is asked for a sum checkpoints the log first. */
const BETWEEN: readonly (readonly [name: string, between: readonly Between[], runs: number])[] = [
  ["a checkpoint", ["checkpoint"], Math.ceil(RUNS / 8)],
  ["a wake", ["wake"], Math.ceil(RUNS / 8)],
  ["nothing", ["nothing"], Math.ceil(RUNS / 8)],
  ["any of these", ["nothing", "nothing", "checkpoint", "wake", "ask"], Math.ceil(RUNS / 3)],
];

const unasked = (between: readonly Between[]) =>
  fc.asyncProperty(
    fc.array(fc.tuple(step, fc.constantFrom(...between)), { minLength: 10, maxLength: 40 }),
    async (steps) => {
      const play = await opened();
      for (const [next, then] of steps) {
        await play.step(next);
        if (then === "checkpoint") await play.world.checkpoint();
        if (then === "wake") await play.world.evict();
        if (then === "ask") await agree(play);
      }
      await agree(play);
    },
  );

test.each(BETWEEN)(
  "the ledger equals its model with %s between any two calls",
  async (_name, between, numRuns) => {
    await fc.assert(unasked(between), { numRuns, endOnFailure: true });
  },
  PATIENCE_MS,
);
