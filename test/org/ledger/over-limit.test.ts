import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Play } from "./play.ts";
import { PATIENCE_MS, RUNS } from "./playing.ts";
import { overLimitStep, type Step } from "./steps.ts";

const LIMITS = [
  { do: "budget", workflow: undefined, limit: 30n, period: "total", shadow: false, fault: "none" },
  { do: "budget", workflow: "w1", limit: 20n, period: "day", shadow: false, fault: "none" },
  { do: "customerLimit", customer: "*", limit: 15n, period: "month", fault: "none" },
] satisfies Step[];

/** Sums by limit and period. */
function summed(parts: readonly (readonly [key: string, amount: bigint])[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const [key, amount] of parts) sums.set(key, (sums.get(key) ?? 0n) + amount);
  return sums;
}

let announcedOnce = 0;

test(
  "the dollars announced as over a limit are exactly those spent past it, each once",
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(overLimitStep, { minLength: 10, maxLength: 30 }), async (steps) => {
        const play = new Play();
        const { world, model } = play;
        await world.open();
        for (const step of [...LIMITS, ...steps]) await play.step(step);
        const windows = new Map(model.over.map(({ run, limit, window }) => [`${run} ${limit}`, window]));
        const announced = await world.over();
        const keyed = announced.map(({ run, limit, amount }) => {
          const window = windows.get(`${run} ${limit}`) ?? `none of run ${run}`;
          return [`${limit} ${window}`, amount] as const;
        });
        const expected = model.over.map(
          ({ limit, window, amount }) => [`${limit} ${window}`, amount] as const,
        );
        expect(summed(keyed)).toEqual(summed(expected));
        announcedOnce += announced.length;
      }),
      { numRuns: Math.ceil(RUNS / 2), endOnFailure: true },
    );
    expect(announcedOnce).toBeGreaterThan(20);
  },
  PATIENCE_MS,
);
