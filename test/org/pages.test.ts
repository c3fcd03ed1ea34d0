import { runInDurableObject } from "cloudflare:test";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { countOpen, sumHeldAfter, nextExpiry, overHolds } from "../../src/org/decisions/open-holds.ts";
import { deleteHold, type HoldRow, loadHold, loadHolds, saveHolds } from "../../src/org/decisions/store.ts";
import { HOLDS } from "../../src/org/decisions/table.ts";
import {
  type CheckpointedSql,
  checkpointFirst,
  transaction,
  walTransaction,
} from "../../src/storage/transaction.ts";
import { storedHolds } from "../support/holds.ts";
import { env, newOrg } from "../support/worker.ts";
import { evict } from "../support/evict.ts";

/** What becomes of some holds, which are chosen by a number. */
type Step =
  | { readonly kind: "add"; readonly count: number; readonly length: number }
  | { readonly kind: "end" | "drop" | "renew" | "undo"; readonly chosen: readonly number[] }
  | { readonly kind: "checkpoint" | "wake" };

const chosen = fc.array(fc.nat(5000), { minLength: 1, maxLength: 60 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("add" as const),
      count: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 100, max: 400 })),
      length: fc.constantFrom(0, 0, 3000),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constantFrom("end" as const, "drop", "renew", "undo"), chosen }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("checkpoint" as const, "wake" as const) }) },
);

let made = 0;

/** Every few share a request, and so the number that they are found by. */
function aHold(length: number): HoldRow {
  made += 1;
  return {
    seq: null,
    id: `rsv_${String(made).padStart(20, "0")}${String(Math.floor(made / 3)).padStart(6, "0")}`,
    status: "open",
    at: made,
    expires_at: 1000 + ((made * 37) % 500),
    ended_at: null,
    amount: String(10n ** 18n + BigInt(made)),
    meters: "m",
    customer_id: null,
    verdict: "é".repeat(length),
    unreported: null,
    rates: "",
    tokens: made,
    beside: null,
    asked: null,
    key_id: null,
  };
}

type State = Map<string, HoldRow>;

function picked(state: State, numbers: readonly number[]): HoldRow[] {
  const all = [...state.values()];
  const some = numbers.flatMap((number) => all[number % Math.max(1, all.length)] ?? []);
  return [...new Set(some)];
}

function change(sql: SqlStorage, state: State, next: Step): void {
  if (next.kind === "add") {
    const added = Array.from({ length: next.count }, () => aHold(next.length));
    saveHolds(sql, added);
    for (const hold of added) state.set(hold.id, hold);
    return;
  }
  if (!("chosen" in next)) return;
  for (const { id } of picked(state, next.chosen)) {
    const hold = loadHold(sql, id);
    if (hold === null) throw new Error(`${id} is missing`);
    if (next.kind === "drop") {
      deleteHold(sql, id);
      state.delete(id);
    } else {
      const after: HoldRow =
        next.kind === "renew"
          ? { ...hold, expires_at: hold.expires_at + 1000, amount: "5" }
          : { ...hold, status: "settled", ended_at: 9 };
      saveHolds(sql, [after]);
      state.set(id, { ...after, seq: null });
    }
  }
}

class Undone extends Error {}

/** A command that does this, or, with "undo", that did it and failed. Checkpoints inside it are undone, too. */
function perform(storage: DurableObjectStorage, state: State, next: Step): State {
  const after = new Map(state);
  const open = made % 2 === 0 ? walTransaction : transaction;
  if (next.kind !== "undo") {
    open(storage, () => change(storage.sql, after, next));
    return after;
  }
  expect(() =>
    open(storage, () => {
      change(storage.sql, after, { kind: "add", count: 200, length: 0 });
      transaction(storage, () => change(storage.sql, after, { ...next, kind: "drop" }));
      throw new Undone();
    }),
  ).toThrow(Undone);
  return state;
}

function isOpen({ status }: HoldRow): boolean {
  return status === "open";
}

function firstEnd(holds: readonly HoldRow[]): number {
  return Math.min(...holds.map(({ expires_at: end }) => end));
}

/** As commands see them, whether they are checkpointed or not. */
function agree(sql: SqlStorage, state: State): void {
  const ids = [...state.keys()];
  const { holds } = loadHolds(sql, [...ids, "rsv_00000000000000000000nobody"]);
  expect(new Map([...holds].map(([id, hold]) => [id, { ...hold, seq: null }]))).toEqual(state);
  const open = [...state.values()].filter(isOpen);
  expect(countOpen(sql)).toBe(open.length);
  // Until a checkpoint it may be earlier, where memory has a later end.
  expect(nextExpiry(sql) ?? Infinity).toBeLessThanOrEqual(firstEnd(open));
}

/** As they are stored after a checkpoint. */
function agreeStored(sql: CheckpointedSql, state: State): void {
  const stored = storedHolds(sql);
  expect(stored.map((hold) => ({ ...hold, seq: null }))).toEqual([...state.values()]);
  const seqs = stored.map(({ seq }) => Number(seq));
  expect(seqs).toEqual([...new Set(seqs)].toSorted((one, other) => one - other));
  const open = stored.filter(isOpen);
  expect(nextExpiry(sql) ?? Infinity).toBe(firstEnd(open));
  for (const now of [0, 1200, 3000]) {
    const later = open.filter(({ expires_at: end }) => end > now);
    expect(sumHeldAfter(sql, now)).toBe(later.reduce((sum, { amount }) => sum + BigInt(amount), 0n));
    const over = open.filter(({ expires_at: end }) => end <= now).map(({ expires_at: end }) => end);
    const found = overHolds(sql, now, 50).map(({ expires_at: end }) => end);
    expect(found).toEqual(over.toSorted((one, other) => one - other).slice(0, 50));
  }
  const pages = sql.exec<{ n: number }>("SELECT COUNT(*) AS n FROM hold_pages").one().n;
  const empty = sql.exec<{ n: number }>("SELECT COUNT(*) AS n FROM hold_pages WHERE body = '[]'").one().n;
  expect(empty).toBeLessThanOrEqual(1);
  expect(pages).toBeLessThanOrEqual(seqs.length + 1);
}

test("holds are what was made of them, in whichever page they are", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const stub = env.ORG.getByName((await newOrg()).id);
      let state: State = new Map();
      for (const next of steps) {
        if (next.kind === "wake") await evict(stub);
        await runInDurableObject(stub, (_object, { storage }) => {
          if (next.kind === "checkpoint") {
            agreeStored(checkpointFirst(storage), state);
          } else state = perform(storage, state, next);
          agree(storage.sql, state);
        });
      }
      await runInDurableObject(stub, (_object, { storage }) => {
        agreeStored(checkpointFirst(storage), state);
      });
    }),
    { numRuns: 15, endOnFailure: true },
  );
}, 120_000);

async function withHolds(count: number) {
  const stub = env.ORG.getByName((await newOrg()).id);
  const inside = <T>(use: (storage: DurableObjectStorage) => T): Promise<T> =>
    runInDurableObject(stub, (_object, { storage }) => use(storage));
  const ids = await inside((storage) => {
    const holds = Array.from({ length: count }, () => aHold(0));
    transaction(storage, () => saveHolds(storage.sql, holds));
    return holds.map(({ id }) => id);
  });
  const pages = () =>
    inside(
      ({ sql }) =>
        sql.exec<{ first: number }>("SELECT first FROM hold_pages ORDER BY first").toArray().length,
    );
  return { stub, inside, ids, pages };
}

test("a page whose holds are all gone is deleted, and no number is used again", async () => {
  const { stub, inside, ids, pages } = await withHolds(300);
  expect(await pages()).toBe(3);
  const highest = await inside(({ sql }) => HOLDS.pages(sql).last);
  await inside((storage) =>
    transaction(storage, () => {
      for (const id of ids) deleteHold(storage.sql, id);
    }),
  );
  expect(await pages()).toBe(1);
  await evict(stub);
  await inside((storage) => transaction(storage, () => saveHolds(storage.sql, [aHold(0)])));
  expect(await inside(({ sql }) => storedHolds(sql).map(({ seq }) => seq))).toEqual([highest + 1]);
});

test("more holds than the index keeps in memory are found, before and after a wake", async () => {
  const { stub, inside, ids } = await withHolds(9000);
  const found = () => inside(({ sql }) => loadHolds(sql, ids).holds.size);
  expect(await found()).toBe(9000);
  await evict(stub);
  expect(await found()).toBe(9000);
  const [{ n } = { n: 0 }] = await inside(({ sql }) =>
    sql.exec<{ n: number }>("SELECT COUNT(*) AS n FROM hold_id_segments WHERE state = 'made'").toArray(),
  );
  expect(n).toBe(2);
});

test("holds are found after so many others were undone that the index had stored a part of them", async () => {
  const { inside, ids } = await withHolds(10);
  await inside((storage) => {
    expect(() =>
      transaction(storage, () => {
        saveHolds(
          storage.sql,
          Array.from({ length: 5000 }, () => aHold(0)),
        );
        throw new Undone();
      }),
    ).toThrow(Undone);
  });
  const later = [aHold(0), aHold(0)];
  await inside((storage) => transaction(storage, () => saveHolds(storage.sql, later)));
  const sought = [...ids, ...later.map(({ id }) => id)];
  expect(await inside(({ sql }) => [...loadHolds(sql, sought).holds.keys()])).toEqual(sought);
});
