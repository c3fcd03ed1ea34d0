import { runInDurableObject } from "cloudflare:test";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { spreadOf } from "../../../src/storage/key-index/key-hash.ts";
import { transaction } from "../../../src/storage/transaction.ts";
import { runSegments } from "../../../src/org/runs/segments/segments.ts";
import { findSuspects, Segment } from "../../../src/storage/key-index/segment.ts";
import { newSpender } from "../../support/ledger.ts";
import { rowsOf } from "../../support/rows.ts";
import { call, env } from "../../support/worker.ts";
import { expectSound, failures, found, play, purge, SIZE, step, store, wokenObject } from "./id-play.ts";
import { evict } from "../../support/evict.ts";

test("every stored run is found by its id, and no other, through rollbacks, purges and restarts", async () => {
  let levels = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40 }), async (steps) => {
      const stub = await wokenObject();
      for (const one of steps) {
        if (one.kind === "wake") await evict(stub);
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
    { numRuns: 4 },
  );
  expect(levels).toBeGreaterThanOrEqual(2);
  expect(failures.count).toBeGreaterThan(5);
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
  await evict(stub);
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
    const index = { sql, tables: { name: "run_id" }, ofFirstLevel: 4096 };
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
      const seqs = findSuspects(sql, index.tables, one.suspects(sought));
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
      runInDurableObject(await wokenObject(), (_object, { storage }) => runSegments(storage.sql).hashKey),
    ),
  );
  expect(keys[0]).not.toBeNull();
  expect(keys[0]).not.toEqual(keys[1]);
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
  await evict(env.ORG.getByName(org.id));
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
