import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import { spreadOf } from "../../../src/domain/id-index/number.ts";
import { Sought } from "../../../src/domain/id-index/sought.ts";
import type { RunRecord } from "../../../src/domain/run-block/record.ts";
import { transaction } from "../../../src/org/kernel/journal/transaction.ts";
import { runBlocks } from "../../../src/org/runs/blocks/blocks.ts";
import { findInBlocks } from "../../../src/org/runs/blocks/find.ts";
import { remainsOf } from "../../../src/org/runs/purged.ts";
import { runIds } from "../../../src/org/runs/ids/index.ts";
import { idKey } from "../../../src/org/runs/ids/key.ts";
import { findSuspects, Segment } from "../../../src/org/kernel/id-index/segment.ts";
import { newSpender } from "../../support/ledger.ts";
import { rowsOf } from "../../support/rows.ts";
import { allRuns } from "../../support/stored-runs.ts";
import { call, env, newOrg } from "../../support/worker.ts";

/** With segments of this size, a few hundred runs make three levels. */
const SIZE = 16;

type Step =
  | { readonly kind: "store" | "roll back"; readonly batches: readonly number[] }
  | { readonly kind: "fail"; readonly batches: readonly number[]; readonly after: number }
  | { readonly kind: "purge"; readonly share: number }
  | { readonly kind: "wake" };

const batches = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 6 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ kind: fc.constant("store" as const), batches }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("roll back" as const), batches }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("fail" as const), batches, after: fc.nat(120) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("purge" as const), share: fc.constantFrom(0.1, 0.5, 0.9, 1) }),
  },
  { weight: 2, arbitrary: fc.constant<Step>({ kind: "wake" }) },
);

/** An org's object that has just woken, with no index in memory. */
async function wokenObject() {
  const stub = env.ORG.getByName((await newOrg()).id);
  // What a new org does in the background may hold its object for a while.
  await vi.waitFor(() => evictDurableObject(stub), { timeout: 60_000 });
  await runInDurableObject(stub, () => null);
  return stub;
}

let named = 0;

function aRun(id: string): RunRecord {
  return {
    id,
    startedAt: 0,
    endedAt: null,
    chargedAt: 0,
    recordedAt: 0,
    model: "m",
    action: null,
    workflowId: null,
    deploymentId: null,
    departmentId: null,
    customerId: null,
    chainId: null,
    parentRunId: null,
    depth: 0,
    inputTokens: 0,
    outputTokens: 0,
    cost: 0n,
    charges: "",
    extra: null,
    userId: null,
    provider: null,
    keyId: null,
    outcome: null,
    tags: null,
  };
}

function store(sql: SqlStorage, count: number): string[] {
  const ids = Array.from({ length: count }, () => `run-${++named}`);
  const index = runIds(sql, SIZE);
  expect(found(sql, ids)).toEqual([]);
  runBlocks(sql).append(ids.map(aRun));
  index.add(ids);
  return ids;
}

/** The ids of the runs that the index reports for these. */
function found(sql: SqlStorage, ids: readonly string[]): string[] {
  const seqs = runIds(sql, SIZE).find(new Sought(ids, idKey(sql)));
  const { runs } = findInBlocks(sql, seqs, { ids: new Set(ids), key: idKey(sql) });
  return Array.from(runs.values(), ({ id }) => id);
}

/** As retention would, with the ids deleted too. */
function purge(sql: SqlStorage, share: number): void {
  const blocks = runBlocks(sql);
  for (let left = Math.ceil((blocks.lastSeq - blocks.firstSeq + 1) * share); left > 0;) {
    const some = blocks.oldest(1).runs.slice(0, left);
    if (some.length === 0) return;
    blocks.purge(some.map((run) => remainsOf(run, idKey(sql))));
    blocks.forget(1, 1);
    left -= some.length;
  }
}

let failures = 0;

/** Stores in a transaction in which one statement fails, at any point of the index's work, or none. */
function storeAndFail(storage: DurableObjectStorage, counts: readonly number[], after: number): void {
  const { sql } = storage;
  const exec = sql.exec.bind(sql);
  let left = after;
  const failing = (...given: Parameters<typeof exec>) => {
    if (left-- === 0) throw new Error("a statement failed");
    return exec(...given);
  };
  Object.defineProperty(sql, "exec", { value: failing, configurable: true });
  try {
    transaction(storage, () => counts.forEach((count) => store(sql, count)));
  } catch (error) {
    expect(error).toEqual(new Error("a statement failed"));
    failures += 1;
  } finally {
    Reflect.deleteProperty(sql, "exec");
  }
}

function play(storage: DurableObjectStorage, one: Step): void {
  const { sql } = storage;
  if (one.kind === "fail") storeAndFail(storage, one.batches, one.after);
  if (one.kind === "purge") purge(sql, one.share);
  if (one.kind === "store") transaction(storage, () => one.batches.forEach((count) => store(sql, count)));
  if (one.kind === "roll back") {
    let ids: string[] = [];
    const rolledBack = () =>
      transaction(storage, () => {
        ids = one.batches.flatMap((count) => store(sql, count));
        throw new Error("rolled back");
      });
    expect(rolledBack).toThrow("rolled back");
    expect(runIds(sql, SIZE).find(new Sought(ids, idKey(sql)))).toEqual([]);
  }
}

/**
 * Everything stored is found and nothing else, no two segments cover the same runs, no segment covers deleted runs, and
 * no block is left behind.
 */
function expectSound(sql: SqlStorage): void {
  const ids = allRuns(sql).map(({ id }) => id);
  expect(found(sql, ids)).toEqual(ids);
  expect(found(sql, ["unknown", "run-", "run-0"])).toEqual([]);
  const strays = sql.exec(
    "SELECT 1 FROM run_id_blocks WHERE place / 67108864 NOT IN (SELECT segment FROM run_id_segments)",
  );
  expect(strays.toArray()).toEqual([]);
  const filters = sql.exec(
    "SELECT 1 FROM run_id_filters WHERE segment NOT IN (SELECT segment FROM run_id_segments WHERE state = 'made')",
  );
  expect(filters.toArray()).toEqual([]);
  const overlaps = sql.exec(
    `SELECT 1 FROM run_id_segments AS one JOIN run_id_segments AS other ON one.segment < other.segment
     WHERE one.state = 'made' AND other.state = 'made'
       AND one.first_seq <= other.last_seq AND other.first_seq <= one.last_seq`,
  );
  expect(overlaps.toArray()).toEqual([]);
  const beyond = sql.exec(
    `SELECT 1 FROM run_id_segments
     WHERE state <> 'gone' AND last_seq > ?`,
    runBlocks(sql).lastSeq,
  );
  expect(beyond.toArray()).toEqual([]);
}

test("every stored run is found by its id, and no other, through rollbacks, purges and restarts", async () => {
  let levels = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40 }), async (steps) => {
      const stub = await wokenObject();
      for (const one of steps) {
        if (one.kind === "wake") await evictDurableObject(stub);
        await runInDurableObject(stub, (_object, { storage }) => {
          play(storage, one);
          expectSound(storage.sql);
          const [top] = storage.sql.exec<{ level: number }>(
            "SELECT MAX(level) AS level FROM run_id_segments",
          );
          levels = Math.max(levels, top?.level ?? 0);
        });
      }
    }),
    { numRuns: 24 },
  );
  expect(levels).toBeGreaterThanOrEqual(2);
  expect(failures).toBeGreaterThan(20);
});

test("seqs that restart belong to the new runs", async () => {
  await runInDurableObject(await wokenObject(), (_object, { storage }) => {
    for (const count of [SIZE - 1, SIZE * 100]) {
      play(storage, { kind: "store", batches: [count] });
      play(storage, { kind: "purge", share: 1 });
      play(storage, { kind: "roll back", batches: [1] });
      for (const _ of [1, 2, 3]) {
        play(storage, { kind: "store", batches: [SIZE] });
        expectSound(storage.sql);
      }
    }
  });
});

test("runs whose purge was rolled back are found, even by an index that was read in between", async () => {
  const stub = await wokenObject();
  await runInDurableObject(stub, (_object, { storage }) => {
    play(storage, { kind: "store", batches: [SIZE * 2 + 10] });
  });
  await evictDurableObject(stub);
  await runInDurableObject(stub, (_object, { storage }) => {
    const rolledBack = () =>
      transaction(storage, () => {
        purge(storage.sql, 0.9);
        expect(found(storage.sql, ["unknown"])).toEqual([]);
        throw new Error("rolled back");
      });
    expect(rolledBack).toThrow("rolled back");
    expectSound(storage.sql);
  });
});

test.each([
  ["a block is missing", "DELETE FROM run_id_blocks WHERE place = (SELECT MIN(place) FROM run_id_blocks)"],
  ["its filters are of another size", "UPDATE run_id_blocks SET filter = zeroblob(length(filter) * 2)"],
])("a damaged index is rebuilt when the object wakes: %s", async (_, damage) => {
  const stub = await wokenObject();
  await runInDurableObject(stub, (_object, { storage: { sql } }) => {
    store(sql, SIZE * 20);
    sql.exec(damage);
  });
  await evictDurableObject(stub);
  await runInDurableObject(stub, (_object, { storage }) => {
    expectSound(storage.sql);
    play(storage, { kind: "store", batches: [SIZE * 9] });
    expectSound(storage.sql);
  });
});

/** With segments of the third level, whose filters are stored whole. */
const LARGE = SIZE * 150;

async function withLarge(): Promise<DurableObjectStub> {
  const stub = await wokenObject();
  await runInDurableObject(stub, (_object, { storage }) => {
    play(storage, { kind: "store", batches: [LARGE] });
    expect(storage.sql.exec("SELECT 1 FROM run_id_filters").toArray().length).toBeGreaterThan(0);
  });
  return stub;
}

test("an object that wakes reads the filters of large segments without their blocks", async () => {
  const stub = await withLarge();
  await evictDurableObject(stub);
  await runInDurableObject(stub, (_object, { storage: { sql } }) => {
    const [{ segment, blocks } = { segment: 0, blocks: 0 }] = sql
      .exec<{ segment: number; blocks: number }>(
        "SELECT segment, (SELECT COUNT(*) FROM run_id_blocks WHERE place / 67108864 = segment) AS blocks FROM run_id_filters",
      )
      .toArray();
    expect(blocks).toBe(256);
    // Parts of the filter that nobody reads.
    sql.exec("UPDATE run_id_blocks SET filter = x'' WHERE place / 67108864 = ?", segment);
    expectSound(sql);
    expect(
      sql.exec("SELECT 1 FROM run_id_segments WHERE segment = ? AND state = 'made'", segment).toArray(),
    ).toHaveLength(1);
  });
});

test.each([
  ["is of other runs", "UPDATE run_id_filters SET last_seq = last_seq + 1"],
  ["is cut off", "UPDATE run_id_filters SET filter = substr(filter, 2)"],
  ["was never stored, as by an earlier version", "DELETE FROM run_id_filters"],
])("a filter that %s is made again of those of the blocks", async (_, damage) => {
  const stub = await withLarge();
  await runInDurableObject(stub, (_object, { storage: { sql } }) => void sql.exec(damage));
  await evictDurableObject(stub);
  await runInDurableObject(stub, (_object, { storage: { sql } }) => {
    expectSound(sql);
    const stored = sql.exec(
      "SELECT 1 FROM run_id_filters JOIN run_id_segments USING (segment, first_seq, last_seq)",
    );
    expect(stored.toArray().length).toBeGreaterThan(0);
  });
});

test("an index that lacks a block of a large segment is built anew when it is needed", async () => {
  const stub = await withLarge();
  await runInDurableObject(
    stub,
    (_object, { storage: { sql } }) =>
      void sql.exec(
        "DELETE FROM run_id_blocks WHERE place / 67108864 = (SELECT MAX(segment) FROM run_id_filters) AND place % 3 = 0",
      ),
  );
  await evictDurableObject(stub);
  await runInDurableObject(stub, (_object, { storage }) => {
    expectSound(storage.sql);
    play(storage, { kind: "store", batches: [SIZE * 9] });
    expectSound(storage.sql);
  });
});

test("segments of every level are searched", async () => {
  await runInDurableObject(await wokenObject(), (_object, { storage }) => {
    const { sql } = storage;
    const levels = () =>
      sql
        .exec<{ level: number }>(
          "SELECT DISTINCT level FROM run_id_segments WHERE state = 'made' ORDER BY level",
        )
        .toArray()
        .map(({ level }) => level);
    transaction(storage, () => {
      while (levels().at(-1) !== 4) store(sql, SIZE * 64);
    });
    expectSound(sql);
    expect(levels()).toEqual([0, 1, 2, 3, 4]);
  });
});

test("what is kept of deleted ids is deleted too, a part at a time", async () => {
  await runInDurableObject(await wokenObject(), (_object, { storage: { sql } }) => {
    const blocks = () => sql.exec<{ n: number }>("SELECT COUNT(*) AS n FROM run_id_blocks").one().n;
    const most = [];
    for (let round = 0; round < 60; round += 1) {
      store(sql, SIZE * 8);
      most.push(blocks());
      if (round === 29) purge(sql, 0.99);
    }
    // Eight segments of four blocks at a time: 30 rounds are 960 blocks, plus what is being merged or removed.
    expect(Math.max(...most)).toBeLessThan(1500);
    expect(most[35]).toBeLessThan((most[29] ?? 0) / 2);
  });
});

test("ids with equal hashes make no block that is too large for a row", async () => {
  await runInDurableObject(await wokenObject(), (_object, { storage }) => {
    const { sql } = storage;
    const COUNT = 600_000;
    const alike = (first: number, number: number) => ({
      words: new Uint32Array(COUNT * 2).map((_, at) => (at < COUNT ? number : at - COUNT)),
      firstSeq: first,
    });
    const row = { level: 0, first_seq: 1, last_seq: COUNT, state: "made", step: 0 } as const;
    const index = { sql, name: "run_id", ofFirstLevel: 4096 } as const;
    const segment = Segment.create(index, { ...row, segment: 1 });
    segment.fill(alike(1, 7));
    const above = Segment.create(index, { ...row, segment: 2, level: 1, state: "making" });
    above.mergeOn([segment], COUNT / 2);
    for (const [one, count] of [
      [segment, COUNT],
      [above, COUNT / 2 + 1],
    ] as const) {
      const sought = {
        ids: [""],
        numbers: Uint32Array.of(7),
        spreads: new Int32Array(1),
        left: new Uint32Array(1),
      };
      sought.spreads[0] = spreadOf(7);
      const seqs = findSuspects(sql, "run_id", one.suspects(sought));
      expect([seqs.length, seqs.at(-1)]).toEqual([count, COUNT]);
    }
    segment.end();
    expect(segment.removeOn()).toBe(true);
    const left = sql.exec<{ n: number }>(
      "SELECT COUNT(*) AS n FROM run_id_block_parts WHERE place / 67108864 = 1",
    );
    expect(left.one().n).toBe(0);
  });
});

test("each org hashes ids with its own key", async () => {
  const keys = await Promise.all(
    [1, 2].map(async () =>
      runInDurableObject(await wokenObject(), (_object, { storage }) => idKey(storage.sql)),
    ),
  );
  expect(keys[0]).not.toBeNull();
  expect(keys[0]).not.toEqual(keys[1]);
});

test("runs that an earlier version hashed without a key are found, and get one unless ids of deleted runs prevent it", async () => {
  const run = { model: "acme/m1", usage: { input_tokens: 1, output_tokens: 1 }, cost_usd: "0.01" };
  const started_at = new Date().toISOString();
  for (const withGone of [false, true]) {
    const org = await newSpender();
    const stub = env.ORG.getByName(org.id);
    // Like an object of the previous version: no key, and every number without one.
    await rowsOf(org.id, "DELETE FROM run_id_key");
    await evictDurableObject(stub);
    const runs = Array.from({ length: 5000 }, (_, at) => ({ ...run, id: `r-${at}`, started_at }));
    for (let from = 0; from < runs.length; from += 1000)
      expect((await org.bulk(runs.slice(from, from + 1000))).body.accepted).toBe(1000);
    if (withGone) {
      await runInDurableObject(stub, (_object, { storage: { sql } }) => {
        const blocks = runBlocks(sql);
        const some = blocks.oldest(Number.POSITIVE_INFINITY).runs.slice(0, 10);
        blocks.purge(some.map((one) => remainsOf(one, idKey(sql))));
      });
    }
    await rowsOf(
      org.id,
      "DROP TABLE run_id_key; DROP TABLE run_id_block_parts; DELETE FROM schema_steps WHERE name = 'runs/6'",
    );
    await evictDurableObject(stub);
    expect((await org.bulk([...runs.slice(0, 500), ...runs.slice(4500)])).body.duplicates).toBe(1000);
    expect(await rowsOf(org.id, "SELECT 1 FROM run_id_key")).toHaveLength(withGone ? 0 : 1);
  }
});

test("of tens of thousands of runs each is charged once, even after a restart, whichever is sent again", async () => {
  const org = await newSpender();
  await org.send("POST", "budgets", {
    scope_kind: "org",
    limit_usd: "100000",
    period: "month",
    mode: "enforce",
  });
  const run = { model: "acme/m1", usage: { input_tokens: 1, output_tokens: 1 }, cost_usd: "0.01" };
  const started_at = new Date().toISOString();
  const ids = Array.from({ length: 45_000 }, () => crypto.randomUUID());
  const send = async (some: readonly string[]) => {
    const answer = await org.bulk(some.map((id) => ({ ...run, id, started_at })));
    return { accepted: answer.body.accepted, duplicates: answer.body.duplicates };
  };
  for (let from = 0; from < ids.length; from += 1000) {
    expect(await send(ids.slice(from, from + 1000))).toEqual({ accepted: 1000, duplicates: 0 });
  }
  const segments = await rowsOf<{ level: number }>(
    org.id,
    "SELECT level FROM run_id_segments WHERE state = 'made'",
  );
  expect(segments.map(({ level }) => level)).toContain(1);
  const everyHundredth = ids.filter((_, index) => index % 100 === 7);
  expect(await send(everyHundredth)).toEqual({ accepted: 0, duplicates: 450 });
  await evictDurableObject(env.ORG.getByName(org.id));
  const some = [
    ...ids.slice(44_500),
    ...ids.slice(0, 400),
    ...Array.from({ length: 100 }, () => crypto.randomUUID()),
  ];
  expect(await send(some)).toEqual({ accepted: 100, duplicates: 900 });
  expect((await call("GET", `/v1/runs/${ids[20_000]}`, { key: org.key })).status).toBe(200);
  expect((await call("GET", `/v1/runs/${crypto.randomUUID()}`, { key: org.key })).status).toBe(404);
  const conflict = await org.run({ ...run, id: ids[30_000], started_at, cost_usd: "0.02" });
  expect(conflict.status).toBe(409);
  const [budget] = (await org.send("GET", "budgets")).body.data;
  expect(budget.spent_usd).toBe("451.00");
});
