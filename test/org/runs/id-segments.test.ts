import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { transaction } from "../../../src/storage/transaction.ts";
import { allRuns } from "../../support/stored-runs.ts";
import { expectSound, found, play, SIZE, store, wokenObject } from "./id-play.ts";
import { evict } from "../../support/evict.ts";

test.each([
  ["a block is missing", "DELETE FROM run_id_blocks WHERE place = (SELECT MIN(place) FROM run_id_blocks)"],
  ["its filters are of another size", "UPDATE run_id_blocks SET filter = zeroblob(length(filter) * 2)"],
])("a damaged index is rebuilt when the object wakes: %s", async (_, damage) => {
  const stub = await wokenObject();
  await runInDurableObject(stub, (_object, { storage: { sql } }) => {
    store(sql, SIZE * 20);
    sql.exec(damage);
  });
  await evict(stub);
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
  await evict(stub);
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

/** How many filters of large segments a function reads. */
function filtersReadBy(sql: SqlStorage, use: () => void): number {
  const exec = sql.exec.bind(sql);
  let read = 0;
  const counting = (...given: Parameters<typeof exec>) => {
    if (given[0].startsWith("SELECT filter FROM run_id_filters")) read += 1;
    return exec(...given);
  };
  Object.defineProperty(sql, "exec", { value: counting, configurable: true });
  try {
    use();
  } finally {
    Reflect.deleteProperty(sql, "exec");
  }
  return read;
}

test("calls with few ids after a wake read no filter, then one each, and miss no run; one with many reads the rest", async () => {
  const stub = await wokenObject();
  await runInDurableObject(stub, (_object, { storage }) => {
    play(storage, { kind: "store", batches: Array<number>(4).fill(SIZE * 64) });
    const large = "SELECT 1 FROM run_id_segments WHERE state = 'made' AND level = 2";
    expect(storage.sql.exec(large).toArray()).toHaveLength(3);
  });
  await evict(stub);
  await runInDurableObject(stub, (_object, { storage: { sql } }) => {
    const ids = allRuns(sql).map(({ id }) => id);
    const some = [0, 70, 140].map((at) => ids[at * SIZE] ?? "");
    const reads = (sought: readonly string[], there = sought) =>
      filtersReadBy(sql, () => expect(found(sql, sought)).toEqual(there));
    expect(reads([...some, "unknown"], some)).toBe(0);
    expect(reads([...some, "unknown"], some)).toBe(1);
    expect(reads(ids)).toBe(2);
    expect(reads(ids)).toBe(0);
  });
});

test.each([
  ["is of other runs", "UPDATE run_id_filters SET last_seq = last_seq + 1"],
  ["is cut off", "UPDATE run_id_filters SET filter = substr(filter, 2)"],
  ["is missing", "DELETE FROM run_id_filters"],
])("a filter that %s is made again of those of the blocks", async (_, damage) => {
  const stub = await withLarge();
  await runInDurableObject(stub, (_object, { storage: { sql } }) => void sql.exec(damage));
  await evict(stub);
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
  await evict(stub);
  await runInDurableObject(stub, (_object, { storage }) => {
    expectSound(storage.sql);
    play(storage, { kind: "store", batches: [SIZE * 9] });
    expectSound(storage.sql);
  });
});

/** So that few runs make every level. */
const TINY = 4;

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
      while (levels().at(-1) !== 4) store(sql, TINY * 64, TINY);
    });
    expectSound(sql, TINY);
    expect(levels()).toEqual([0, 1, 2, 3, 4]);
  });
});
