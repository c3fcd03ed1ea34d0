import { env, runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import type { CounterShard } from "../../src/platform/counter-shard.ts";
import { COUNTER_STEPS } from "../../src/platform/object-steps.ts";
import { applySteps } from "../../src/platform/schema.ts";
import { evict } from "../support/evict.ts";

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

  test("of another source with the same number counts separately", async () => {
    const shard = COUNTERS.getByName("sources");
    for (const source of ["one", "two"]) await shard.add(source, 1, [{ seq: 1, deltas: [["a", 1]] }]);
    expect(await shard.read()).toEqual([{ series: "a", total: 2 }]);
  });
});

test("counts, and what was already counted, survive the eviction of the object", async () => {
  const shard = COUNTERS.getByName("evicted");
  const batch = { seq: 1, deltas: [["a", 5] as const] };
  await shard.add("isolate", 1, [batch]);
  await evict(shard);
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

test("a shard that another version gave more schema steps is left as it is", async () => {
  const shard = COUNTERS.getByName("another");
  await shard.add("isolate", 1, [{ seq: 1, deltas: [["a", 5] as const] }]);
  await runInDurableObject(shard, (_, { storage }) => {
    storage.sql.exec("INSERT INTO schema_steps (step) VALUES (1)");
    const stored = () => storage.sql.exec("SELECT * FROM schema_steps, counts, sources").toArray();
    const before = stored();
    expect(() => applySteps(storage, COUNTER_STEPS)).toThrow("another version");
    applySteps(storage, [...COUNTER_STEPS, "DELETE FROM counts"]);
    expect(stored()).toEqual(before);
    applySteps(storage, [...COUNTER_STEPS, "", "CREATE TABLE later (a INTEGER) STRICT"]);
    expect(storage.sql.exec("SELECT * FROM later").toArray()).toEqual([]);
  });
});

test("what an object tells of itself replaces what it said before, and sums over objects", async () => {
  const shard = COUNTERS.getByName("gauges");
  await shard.tell("one", [
    ["svc_holds_open", 3],
    ["svc_due_oldest_seconds", 5000],
  ]);
  await shard.tell("two", [
    ["svc_holds_open", 4],
    ["svc_due_oldest_seconds", 2000],
  ]);
  await shard.tell("one", [["svc_holds_open", 1]]);
  expect(await shard.readGauges()).toEqual([
    { name: "svc_due_oldest_seconds", sum: 7000, least: 2000 },
    { name: "svc_holds_open", sum: 5, least: 1 },
  ]);
  await shard.tell("two", [
    ["svc_holds_open", null],
    ["svc_due_oldest_seconds", null],
  ]);
  expect(await shard.readGauges()).toEqual([
    { name: "svc_due_oldest_seconds", sum: 5000, least: 5000 },
    { name: "svc_holds_open", sum: 1, least: 1 },
  ]);
});

test("a sum that would exceed what can be stored stops there, and later batches are still taken", async () => {
  const shard = COUNTERS.getByName("saturated");
  for (const seq of [1, 2, 3]) {
    await shard.add("isolate", seq, [{ seq, deltas: [["a", 1e21] as const, ["b", 1] as const] }]);
  }
  expect(await shard.read()).toEqual([
    { series: "a", total: 9e18 },
    { series: "b", total: 3 },
  ]);
});

test("a batch writes one row, and what a source counted outlives it", async () => {
  const shard = COUNTERS.getByName("rows");
  const deltas = Array.from({ length: 5 }, (_, index) => [`s${index}`, index + 1] as const);
  await shard.add("isolate", 1, [{ seq: 1, deltas }]);
  const rows = () =>
    runInDurableObject(shard, async (object, { storage: { sql } }) => {
      const exec = sql.exec.bind(sql);
      const cursors: { rowsWritten: number }[] = [];
      Object.defineProperty(sql, "exec", {
        value: (...given: Parameters<typeof exec>) => {
          const cursor = exec(...given);
          cursors.push(cursor);
          return cursor;
        },
        configurable: true,
      });
      object.add("isolate", 2, [{ seq: 2, deltas }]);
      return cursors.reduce((sum, cursor) => sum + cursor.rowsWritten, 0);
    });
  expect(await rows()).toBe(1);
  const counted = deltas.map(([series, by]) => ({ series, total: 2 * by }));
  expect(await shard.read()).toEqual(counted);
  await evict(shard);
  expect(await shard.read()).toEqual(counted);
  await runInDurableObject(shard, (_, { storage: { sql } }) => sql.exec("UPDATE sources SET seen_at_ms = 1"));
  await shard.add("another", 1, [{ seq: 1, deltas: [["s0", 7]] }]);
  expect(await shard.read()).toEqual([{ series: "s0", total: 9 }, ...counted.slice(1)]);
  const [{ n } = { n: 0 }] = await runInDurableObject(shard, (_, { storage: { sql } }) =>
    sql.exec<{ n: number }>("SELECT COUNT(*) AS n FROM sources").toArray(),
  );
  expect(n).toBe(1);
});

test("a source with very many series keeps few of them in its row, and none is lost", async () => {
  const shard = COUNTERS.getByName("series");
  const names = Array.from({ length: 900 }, (_, index) => `series ${String(index).padStart(4, "0")}`);
  for (const seq of [1, 2, 3]) {
    await shard.add("isolate", seq, [{ seq, deltas: names.map((name) => [name, seq] as const) }]);
  }
  await shard.add("isolate", 4, [{ seq: 4, deltas: [["series 0000", 1]] }]);
  expect(await shard.read()).toEqual(names.map((series, index) => ({ series, total: index === 0 ? 7 : 6 })));
  const [{ pending } = { pending: "" }] = await runInDurableObject(shard, (_, { storage: { sql } }) =>
    sql.exec<{ pending: string }>("SELECT pending FROM sources").toArray(),
  );
  expect(pending).toBe('{"series 0000":"1"}');
});
