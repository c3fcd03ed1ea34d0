import { runInDurableObject } from "cloudflare:test";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkpointFirst, transaction } from "../../src/storage/transaction.ts";
import { SHAPES } from "../../src/storage/wal/table-shapes.ts";
import { killedAt } from "../support/kills.ts";
import { env } from "../support/worker.ts";
import {
  after,
  type Change,
  declareTables,
  EMPTY,
  KEYS,
  MOST_ROWS,
  NAMES,
  newEngine,
  perform,
  read,
  type State,
  type Transaction,
} from "./model.ts";
import { evict } from "../support/evict.ts";

let tables: ReturnType<typeof declareTables>;

beforeAll(() => {
  tables = declareTables();
});

afterAll(() => {
  for (const name of NAMES) (SHAPES as Map<string, unknown>).delete(name);
});

/** Most are short. Some fill a page, and some are too long for an entry of the log. */
const length = fc.oneof(
  { weight: 20, arbitrary: fc.constant(3) },
  { weight: 4, arbitrary: fc.constant(20_000) },
  { weight: 1, arbitrary: fc.constant(260_000) },
);
let made = 0;
const value = length.map((characters) => `${'é"'.repeat(characters / 2)}${++made}`);
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    table: fc.constantFrom("plain" as const, "carried", "keyed", "keyed"),
    key: fc.constantFrom(...KEYS),
    value: fc.option(value, { freq: 4 }),
  }),
  fc.record({ table: fc.constant("log" as const), value }),
);
const someChanges: fc.Arbitrary<Transaction> = fc
  .record({
    usesWal: fc.constantFrom(true, true, false),
    changes: fc.array(change, { minLength: 1, maxLength: 12 }),
    undone: fc.nat(6),
    fails: fc.constantFrom(false, false, false, true),
  })
  .map((all) => ({ ...all, undone: Math.min(all.undone, all.changes.length - 1) }));

type Step = Transaction | "checkpoint" | "wake" | "burst";
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: someChanges },
  fc.constantFrom("checkpoint" as const, "wake" as const, "burst" as const),
);

const stubOf = (name: string) => env.ORG.getByName(name);
const stateOf = (name: string, keys: readonly string[] = KEYS) =>
  runInDurableObject(stubOf(name), (_object, { storage }) => read(storage.sql, tables, keys));

/** One more than wait for a checkpoint. */
const burst = Array.from({ length: 257 }, (_, at): Transaction => ({
  usesWal: true,
  changes: [
    { table: "carried", key: `key-${at % 12}`, value: `burst-${at}` },
    { table: "keyed", key: `key-${(at * 5) % 12}`, value: at % 7 === 0 ? null : `burst-${at}` },
  ],
  undone: 0,
  fails: false,
}));

async function take(name: string, state: State, next: Step): Promise<State> {
  if (next === "wake") await evict(stubOf(name));
  else {
    const all = next === "burst" ? burst : [next];
    await runInDurableObject(stubOf(name), (_object, { storage }) => {
      if (next === "checkpoint") checkpointFirst(storage);
      else for (const one of all as Transaction[]) perform(storage, tables, one);
    });
    if (next !== "checkpoint") return (all as Transaction[]).reduce(after, state);
  }
  return state;
}

test("the engine has what a plain map has, whatever is changed, undone, checkpointed and however it wakes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
      const name = await newEngine();
      let state = EMPTY;
      for (const next of steps) {
        state = await take(name, state, next);
        expect(await stateOf(name)).toEqual(state);
      }
      state = await take(name, await take(name, state, "checkpoint"), "wake");
      expect(await stateOf(name)).toEqual(state);
      await runInDurableObject(stubOf(name), (_object, { storage: { sql } }) => {
        const pages = sql
          .exec<{ n: number; body: string }>("SELECT n, body FROM model_keyed_pages ORDER BY first")
          .toArray();
        expect(pages.map(({ body }) => (JSON.parse(body) as unknown[]).length)).toEqual(
          pages.map(({ n }) => n),
        );
        expect(pages.slice(0, -1).every(({ n }) => n > 0 && n <= MOST_ROWS)).toBe(true);
        expect(pages.reduce((sum, { n }) => sum + n, 0)).toBe(state.keyed.size);
      });
    }),
    { numRuns: 15, endOnFailure: true },
  );
});

/** So many new keys that the index stores a part of them at the next checkpoint. */
const MANY: Transaction = {
  usesWal: true,
  changes: Array.from({ length: 4200 }, (_, at) => ({ table: "keyed", key: `many-${at}`, value: "" })),
  undone: 0,
  fails: false,
};
const ONE: Transaction = {
  usesWal: false,
  changes: [{ table: "plain", key: "key-0", value: "one" }],
  undone: 0,
  fails: false,
};
/** What comes before a transaction that is killed, and how far its places lie apart. The index writes 8 blocks in a row. */
const KILLED: readonly (readonly [Transaction, before: readonly Transaction[], apart: number])[] = [
  ...fc.sample(someChanges, 10).map((one) => [one, [], 1] as const),
  // The last of so many makes room for others, and what changes again and again stays in the log.
  [burst[255] ?? ONE, burst.slice(0, 255), 1],
  [ONE, [MANY], 7],
];
const MOST_PLACES = 400;

/** The same, with other rows of the log: none comes twice. */
function anew(all: Transaction, attempt: number): Transaction {
  const changes = all.changes.map((one) =>
    one.table === "log" ? { ...one, value: `${one.value} ${attempt}` } : one,
  );
  return { ...all, changes };
}

test("an engine that is killed before or after any write has all of a transaction or nothing of it", async () => {
  const name = await newEngine();
  const keys = [...KEYS, ...MANY.changes.map((one) => ("key" in one ? one.key : ""))];
  const places = new Set<string>();
  let state = EMPTY;
  for (const [changes, before, apart] of KILLED) {
    state = await takeAll(name, state, before);
    for (let place = 0; place < MOST_PLACES; place += apart) {
      const next = anew(changes, place);
      const killed = await killedAt(name, place, async (storage) => perform(storage, tables, next));
      const now = await stateOf(name, keys);
      if (killed === null) expect(now).toEqual(after(state, next));
      else expect([state, after(state, next)]).toContainEqual(now);
      state = now;
      if (killed === null) break;
      places.add(killed.replace(/^(before|after) /, ""));
    }
  }
  expect([...places]).toEqual(
    expect.arrayContaining([
      "INSERT OR REPLACE INTO journal",
      "INSERT INTO model_plain",
      "DELETE FROM model_plain",
      "INSERT INTO model_keyed_pages",
      "UPDATE model_keyed_pages",
      "INSERT INTO model_keyed_blocks",
      "INSERT INTO model_keyed_segments",
      "INSERT INTO model_log_pages",
      "a transaction",
    ]),
  );
});

async function takeAll(name: string, state: State, all: readonly Transaction[]): Promise<State> {
  if (all.length === 0) return state;
  await take(name, state, "checkpoint");
  await runInDurableObject(stubOf(name), (_object, { storage }) => {
    for (const one of all) perform(storage, tables, one);
  });
  return all.reduce(after, state);
}

const keysFrom = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => `row-${from + at}`);
const changing = (keys: readonly string[], to: string | null): Transaction => ({
  usesWal: false,
  changes: keys.map((key) => ({ table: "keyed", key, value: to })),
  undone: 0,
  fails: false,
});

test("an index that is built anew in a transaction which fails loses no key afterwards", async () => {
  const name = await newEngine();
  const run = (all: Transaction) =>
    runInDurableObject(stubOf(name), (_object, { storage }) => perform(storage, tables, all));
  // The index has one segment, of which rows are deleted. Built anew, its first segment would end later.
  await run(changing(keysFrom(0, 7000), "a"));
  await run(changing(keysFrom(0, 2000), null));
  await runInDurableObject(stubOf(name), (_object, { storage }) => {
    expect(() =>
      transaction(storage, () => {
        storage.sql.exec("DELETE FROM model_keyed_blocks");
        expect(read(storage.sql, tables, keysFrom(2000, 2100)).keyed.size).toBe(100);
        throw new Error("failed");
      }),
    ).toThrow("failed");
  });
  await run(changing(keysFrom(7000, 10_300), "b"));
  await evict(stubOf(name));
  expect((await stateOf(name, keysFrom(0, 10_300))).keyed.size).toBe(8300);
});
