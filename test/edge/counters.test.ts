import { env } from "cloudflare:test";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CounterNamespace } from "../../src/contract/metrics.ts";
import { Counters } from "../../src/counters.ts";
import { type ReadableCounters, readTotals } from "../../src/edge/object/counters.ts";
import type { CounterShard, SeriesTotal } from "../../src/platform/counter-shard.ts";
import { gatherAsDeployed } from "../support/lives.ts";

const { COUNTERS } = env as unknown as { COUNTERS: DurableObjectNamespace<CounterShard> };

/** The real shards under separate names, so that tests do not see each other's counts. */
function shardsOf(prefix: string): CounterNamespace & ReadableCounters {
  return { getByName: (name) => COUNTERS.getByName(`${prefix}/${name}`) };
}

type Fate = "arrives" | "is lost" | "arrives unheard" | "arrives twice";

/** The results of sends, in order. After the last one, all succeed. */
function flaky(shards: CounterNamespace, fates: Fate[]): CounterNamespace {
  return {
    getByName: (name) => {
      const shard = shards.getByName(name);
      return {
        add: async (...batch: Parameters<CounterShard["add"]>) => {
          const fate = fates.shift() ?? "arrives";
          if (fate !== "is lost") await shard.add(...batch);
          if (fate === "arrives twice") await shard.add(...batch);
          if (fate === "is lost" || fate === "arrives unheard") throw new Error(fate);
        },
      };
    },
  };
}

function totalOf(totals: readonly SeriesTotal[], series: string): number {
  return totals.filter((one) => one.series === series).reduce((sum, { total }) => sum + total, 0);
}

describe("counting", () => {
  test("is exact even if sends fail, once one succeeds", async () => {
    const shards = shardsOf("property");
    let run = 0;
    const fate = fc.constantFrom<Fate>("arrives", "is lost", "arrives unheard", "arrives twice");
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(5), fate), { maxLength: 12 }), async (steps) => {
        run += 1;
        const series = `run-${run}`;
        const counting = new Counters();
        const fates: Fate[] = [];
        let expected = 0;
        for (const [index, [times, next]] of steps.entries()) {
          for (let time = 0; time < times; time += 1) counting.count(series);
          expected += times;
          fates.push(next);
          await counting.flush(flaky(shards, fates), index).catch(() => undefined);
          fates.length = 0;
        }
        await counting.flushAll(shards, 1_000_000);
        expect(totalOf(await readTotals(shards), series)).toBe(expected);
      }),
      { numRuns: 25 },
    );
  });

  test("of several isolates and many parallel flushes is exact to the call", async () => {
    const shards = shardsOf("isolates");
    const isolates = Array.from({ length: 4 }, () => new Counters());
    const calls = Array.from({ length: 200 }, async (_, index) => {
      const isolate = isolates[index % isolates.length];
      isolate?.count("a");
      await isolate?.flush(shards, index);
    });
    await Promise.all(calls);
    expect(totalOf(await readTotals(shards), "a")).toBe(200);
  });

  test("is stored when each of two hundred parallel flushes resolves, not only the last", async () => {
    const shards = shardsOf("crowd");
    const counting = new Counters();
    const flushes = Array.from({ length: 200 }, async (_, index) => {
      counting.count("a");
      await counting.flush(shards, index);
    });
    await Promise.all(flushes);
    expect(totalOf(await readTotals(shards), "a")).toBe(200);
  });

  test("keeps a bounded number of batches while the shard is unreachable, and loses no count", async () => {
    const shards = shardsOf("unreachable");
    const down = flaky(
      shards,
      Array.from({ length: 500 }, (): Fate => "is lost"),
    );
    const counting = new Counters(16);
    for (let call = 0; call < 500; call += 1) {
      counting.count("a");
      await counting.flush(down, call).catch(() => undefined);
    }
    await counting.flushAll(shards, 501);
    await counting.flushAll(shards, 502);
    expect(totalOf(await readTotals(shards), "a")).toBe(500);
  });
});

describe("the background flush", () => {
  test("is done by one request at a time, at most once a second", async () => {
    gatherAsDeployed();
    const shards = shardsOf("claims");
    const counting = new Counters();
    counting.count("a");
    expect(counting.claimFlush(1000)).toBe(0);
    expect(counting.claimFlush(1001)).toBeUndefined();
    await counting.flush(shards, 1001);
    expect(counting.claimFlush(1051)).toBe(950);
    expect(counting.claimFlush(1052)).toBeUndefined();
  });

  test("that never ran is done by another request", () => {
    const counting = new Counters();
    expect(counting.claimFlush(1000)).toBe(0);
    expect(counting.claimFlush(2999)).toBeUndefined();
    expect(counting.claimFlush(3000)).toBe(0);
  });
});
