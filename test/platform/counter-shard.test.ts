import { env, evictDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import type { CounterShard } from "../../src/platform/counter-shard.ts";

const { COUNTERS } = env as unknown as { COUNTERS: DurableObjectNamespace<CounterShard> };

describe("a batch", () => {
  test("that is sent twice counts once", async () => {
    const shard = COUNTERS.getByName("twice");
    const batch = { seq: 1, deltas: [["a", 2] as const, ["b", 1] as const] };
    await shard.add("isolate", 1, [batch]);
    await shard.add("isolate", 1, [batch, { seq: 2, deltas: [["a", 1]] }]);
    expect(await shard.read()).toEqual([
      { series: "a", total: 3 },
      { series: "b", total: 1 },
    ]);
  });

  test("that arrives after its source has settled it counts nothing", async () => {
    const shard = COUNTERS.getByName("straggler");
    await shard.add("isolate", 1, [{ seq: 1, deltas: [["a", 1]] }]);
    await shard.add("isolate", 3, [{ seq: 3, deltas: [["a", 1]] }]);
    await shard.add("isolate", 1, [{ seq: 1, deltas: [["a", 1]] }]);
    expect(await shard.read()).toEqual([{ series: "a", total: 2 }]);
  });

  test("of another source under the same number counts by itself", async () => {
    const shard = COUNTERS.getByName("sources");
    for (const source of ["one", "two"]) await shard.add(source, 1, [{ seq: 1, deltas: [["a", 1]] }]);
    expect(await shard.read()).toEqual([{ series: "a", total: 2 }]);
  });
});

test("counts, and what was already counted, survive the eviction of the object", async () => {
  const shard = COUNTERS.getByName("evicted");
  const batch = { seq: 1, deltas: [["a", 5] as const] };
  await shard.add("isolate", 1, [batch]);
  await evictDurableObject(shard);
  await shard.add("isolate", 1, [batch]);
  expect(await shard.read()).toEqual([{ series: "a", total: 5 }]);
});

test("parallel adds lose nothing", async () => {
  const shard = COUNTERS.getByName("parallel");
  const adds = Array.from({ length: 100 }, (_, index) =>
    shard.add(`isolate-${index % 7}`, 1, [{ seq: index + 1, deltas: [["a", 1]] }]),
  );
  await Promise.all(adds);
  expect(await shard.read()).toEqual([{ series: "a", total: 100 }]);
});
