import { runInDurableObject } from "cloudflare:test";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { EventRow } from "../../src/org/kernel/events/log.ts";
import { EVENTS } from "../../src/org/kernel/events/log.ts";
import {
  type CheckpointedSql,
  checkpointFirst,
  transaction,
  walTransaction,
} from "../../src/storage/transaction.ts";
import { rowsOf } from "../support/rows.ts";
import { env, newOrg } from "../support/worker.ts";
import { evict } from "../support/evict.ts";

/** What becomes of a log. Rows are chosen by numbers. */
type Step =
  | { readonly kind: "add" | "undo"; readonly count: number; readonly length: number }
  | { readonly kind: "delete"; readonly chosen: readonly number[] }
  | { readonly kind: "purge"; readonly share: number }
  | { readonly kind: "checkpoint" | "wake" };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom("add" as const, "add", "undo"),
      count: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 200, max: 600 })),
      length: fc.constantFrom(0, 0, 70_000),
    }),
  },
  fc.record({ kind: fc.constant("delete" as const), chosen: fc.array(fc.nat(5000), { maxLength: 60 }) }),
  fc.record({ kind: fc.constant("purge" as const), share: fc.integer({ min: 0, max: 100 }) }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("checkpoint" as const, "wake" as const) }) },
);

/** On several pages. */
const FIRST = 700;
const timeOf = (nth: number) => 1000 + Math.floor(nth / 3) * 10;
const kindOf = (nth: number): EventRow["type"] => (nth % 50 === 7 ? "quota.low" : "run.recorded");

let made = 0;

function someRows(count: number, length: number): Omit<EventRow, "seq">[] {
  return Array.from({ length: count }, (_, at) => {
    made += 1;
    const data = at === 0 && length > 0 ? '"\\\u0000é'.repeat(length / 4) : "{}";
    return { id: `evt_${made}`, type: kindOf(made), created_at: timeOf(made), data, parent: null };
  });
}

const put = (sql: SqlStorage, rows: readonly Omit<EventRow, "seq">[]) =>
  EVENTS.put(
    sql,
    rows.map(({ id, type, created_at, data, parent }) => [null, id, type, created_at, data, parent]),
  );

class Undone extends Error {}

/** Returns what the log has then, without numbers. */
function perform(
  storage: DurableObjectStorage,
  rows: readonly Omit<EventRow, "seq">[],
  next: Step,
): readonly Omit<EventRow, "seq">[] {
  const { sql } = storage;
  const open = made % 2 === 0 ? walTransaction : transaction;
  if (next.kind === "add") {
    const added = someRows(next.count, next.length);
    open(storage, () => put(sql, added));
    return [...rows, ...added];
  }
  if (next.kind === "undo") {
    const fail = () =>
      open(storage, () => {
        put(sql, someRows(next.count, next.length));
        throw new Undone();
      });
    expect(fail).toThrow(Undone);
    return rows;
  }
  if (next.kind !== "delete" && next.kind !== "purge") return rows;
  // The last one stays, as with retention.
  const gone =
    next.kind === "delete"
      ? new Set(next.chosen.map((number) => number % rows.length))
      : new Set(Array(Math.floor((rows.length * next.share) / 100)).keys());
  gone.delete(rows.length - 1);
  const ids = new Set([...gone].map((at) => rows[at]?.id));
  transaction(storage, (tables) =>
    EVENTS.deleteRead(
      tables,
      EVENTS.stored(tables)
        .some(0, rows.length)
        .filter(({ id }) => ids.has(id)),
    ),
  );
  return rows.filter(({ id }) => !ids.has(id));
}

function expectRead(sql: CheckpointedSql, rows: readonly Omit<EventRow, "seq">[]): void {
  const log = EVENTS.stored(sql);
  const all = [...log.after(0)];
  expect(all).toEqual(rows.map((row, at) => ({ ...row, seq: all[at]?.seq })));
  const seqs = all.map(({ seq }) => seq);
  expect(seqs).toEqual([...new Set(seqs)].toSorted((one, other) => one - other));
  expect([...log.upTo(Number.MAX_SAFE_INTEGER)].toReversed()).toEqual(all);
  for (const at of [0, 1, Math.floor(all.length / 2), all.length - 1]) {
    const { seq = 0, created_at = 0, id = "" } = all[at] ?? {};
    expect(log.row(seq)?.id).toBe(id);
    expect(log.some(seq, 3)).toEqual(all.slice(at + 1, at + 4));
    expect(Array.from(log.with("id", id))).toEqual(all.slice(at, at + 1));
    expect([...log.upTo(seq)].length).toBe(at + 1);
    for (const time of [created_at, created_at + 1]) {
      const first = log.firstSince(time);
      const since = all.filter((row) => row.created_at >= time);
      expect([...log.after(first - 1)].map((row) => row.id)).toEqual(since.map((row) => row.id));
    }
  }
  expect(Array.from(log.with("type", "quota.low"))).toEqual(all.filter(({ type }) => type === "quota.low"));
  expect(log.row((all.at(-1)?.seq ?? 0) + 1)).toBeNull();
  expect(log.firstSince(0)).toBeLessThanOrEqual(all[0]?.seq ?? 0);
}

test("a log has every row once, in order, whatever is added, undone and deleted, and however it wakes", async () => {
  const org = await newOrg();
  const stub = env.ORG.getByName(org.id);
  const steps = fc.array(step, { minLength: 2, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      await rowsOf(org.id, "DELETE FROM event_pages");
      made = 0;
      let rows: readonly Omit<EventRow, "seq">[] = someRows(FIRST, 0);
      await runInDurableObject(stub, (_object, { storage }) =>
        transaction(storage, () => put(storage.sql, rows)),
      );
      for (const next of all) {
        rows = await runInDurableObject(stub, (_object, { storage }) => {
          const after = perform(storage, rows, next);
          if (next.kind === "checkpoint") {
            expectRead(checkpointFirst(storage), after);
          }
          return after;
        });
        if (next.kind === "wake") await evict(stub);
      }
      await runInDurableObject(stub, (_object, { storage }) => {
        expectRead(checkpointFirst(storage), rows);
      });
    }),
    { numRuns: 10 },
  );
});

test("rows share a page until it is full, and a page whose rows are deleted is gone", async () => {
  const org = await newOrg();
  const pages = () =>
    rowsOf<{ first: number; characters: number }>(
      org.id,
      "SELECT first, length(body) AS characters FROM event_pages ORDER BY first",
    );
  await runInDurableObject(env.ORG.getByName(org.id), (_object, { storage }) => {
    checkpointFirst(storage);
    storage.sql.exec("DELETE FROM event_pages");
    const data = "x".repeat(500);
    const row = (at: number) => ({ id: `evt_${at}`, type: kindOf(0), created_at: at, data, parent: null });
    for (let at = 0; at < 250; at += 1) transaction(storage, () => put(storage.sql, [row(at)]));
  });
  const full = await pages();
  expect(full).toHaveLength(3);
  for (const { characters } of full) expect(characters).toBeLessThan(62_000);
  await runInDurableObject(env.ORG.getByName(org.id), (_object, { storage }) =>
    transaction(storage, (sql) => EVENTS.deleteRead(sql, EVENTS.stored(sql).some(0, 150))),
  );
  const left = await pages();
  expect(left.map(({ first }) => first)).toEqual(full.slice(1).map(({ first }) => first));
  expect(left[0]?.characters).toBeLessThan(full[1]?.characters ?? 0);
});
