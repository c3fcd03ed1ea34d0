import { runInDurableObject } from "cloudflare:test";
import * as fc from "fast-check";
import { expect, vi } from "vitest";
import { keyHashesOf } from "../../../src/storage/key-index/probe.ts";
import { transaction, walTransaction } from "../../../src/storage/transaction.ts";
import { runSegments } from "../../../src/org/runs/segments/segments.ts";
import { findRows } from "../../../src/storage/segments/find.ts";
import { tombstoneOf } from "../../../src/org/runs/purged-runs.ts";
import { deleteOldest, forgetTombstones, oldestRows } from "../../../src/storage/segments/retention.ts";
import { runRecord } from "../../support/run-records.ts";
import { allRuns } from "../../support/stored-runs.ts";
import { env, newOrg } from "../../support/worker.ts";
import { evict } from "../../support/evict.ts";
import { PATIENT } from "../../support/patience.ts";

/** An index of run ids in a real object, and what can happen to it. */

/** With segments of this size, a few hundred runs make three levels. */
export const SIZE = 16;

export type Step =
  | { readonly kind: "store" | "roll back"; readonly batches: readonly number[]; readonly usesWal?: boolean }
  | {
      readonly kind: "fail";
      readonly batches: readonly number[];
      readonly after: number;
      readonly usesWal?: boolean;
    }
  | { readonly kind: "purge"; readonly share: number }
  | { readonly kind: "wake" };

const batches = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 6 });
const usesWal = fc.boolean();
export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ kind: fc.constant("store" as const), batches, usesWal }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("roll back" as const), batches, usesWal }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("fail" as const), batches, after: fc.nat(120), usesWal }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("purge" as const), share: fc.constantFrom(0.1, 0.5, 0.9, 1) }),
  },
  { weight: 2, arbitrary: fc.constant<Step>({ kind: "wake" }) },
);

/** An org's object that has just woken, with no index in memory. */
export async function wokenObject() {
  const stub = env.ORG.getByName((await newOrg()).id);
  // What a new org does in the background may hold its object for a while.
  await vi.waitFor(() => evict(stub), PATIENT);
  await runInDurableObject(stub, () => null);
  return stub;
}

let named = 0;

export function store(sql: SqlStorage, count: number, size = SIZE): string[] {
  const ids = Array.from({ length: count }, () => `run-${++named}`);
  const index = runSegments(sql).ids(size);
  expect(found(sql, ids, size)).toEqual([]);
  runSegments(sql).append(ids.map((id) => runRecord(id)));
  index.addNext(keyHashesOf(ids, runSegments(sql).hashKey));
  return ids;
}

/** The ids of the runs that the index reports for these. */
export function found(sql: SqlStorage, ids: readonly string[], size = SIZE): string[] {
  const seqs = runSegments(sql).ids(size).find(runSegments(sql).probe(ids));
  const { rows: runs } = findRows(runSegments(sql), seqs, new Set(ids));
  return Array.from(runs.values(), ({ id }) => id);
}

/** As retention would, with the ids deleted too. */
export function purge(sql: SqlStorage, share: number): void {
  const segments = runSegments(sql);
  for (let left = Math.ceil((segments.lastSeq - segments.firstSeq + 1) * share); left > 0;) {
    const some = oldestRows(segments, 1).rows.slice(0, left);
    if (some.length === 0) return;
    deleteOldest(
      segments,
      some.map((run) => tombstoneOf(run, segments.hashKey)),
    );
    forgetTombstones(segments, 1, 1);
    left -= some.length;
  }
}

/** How many statements failed on purpose. */
export const failures = { count: 0 };

/** Stores in a transaction in which one statement fails, at any point of the index's work, or none. */
function storeAndFail(
  storage: DurableObjectStorage,
  { batches: counts, after, usesWal: isOfLog }: Step & { readonly kind: "fail" },
): void {
  const { sql } = storage;
  const exec = sql.exec.bind(sql);
  let left = after;
  const failing = (...given: Parameters<typeof exec>) => {
    if (left-- === 0) throw new Error("a statement failed");
    return exec(...given);
  };
  Object.defineProperty(sql, "exec", { value: failing, configurable: true });
  try {
    within(isOfLog)(storage, () => counts.forEach((count) => store(sql, count)));
  } catch (error) {
    expect(error).toEqual(new Error("a statement failed"));
    failures.count += 1;
  } finally {
    Reflect.deleteProperty(sql, "exec");
  }
}

const within = (isOfLog = false) => (isOfLog ? walTransaction : transaction);

export function play(storage: DurableObjectStorage, one: Step): void {
  const { sql } = storage;
  if (one.kind === "fail") storeAndFail(storage, one);
  if (one.kind === "purge") transaction(storage, () => purge(sql, one.share));
  if (one.kind === "store")
    within(one.usesWal)(storage, () => one.batches.forEach((count) => store(sql, count)));
  if (one.kind === "roll back") {
    let ids: string[] = [];
    const rolledBack = () =>
      within(one.usesWal)(storage, () => {
        ids = one.batches.flatMap((count) => store(sql, count));
        throw new Error("rolled back");
      });
    expect(rolledBack).toThrow("rolled back");
    expect(runSegments(sql).ids(SIZE).find(runSegments(sql).probe(ids))).toEqual([]);
  }
}

/**
 * Everything stored is found and nothing else, no two segments cover the same runs, no segment covers deleted runs, and
 * no segment is left behind.
 */
export function expectSound(sql: SqlStorage, size = SIZE): void {
  const ids = allRuns(sql).map(({ id }) => id);
  expect(found(sql, ids, size)).toEqual(ids);
  expect(found(sql, ["unknown", "run-", "run-0"], size)).toEqual([]);
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
    runSegments(sql).lastSeq,
  );
  expect(beyond.toArray()).toEqual([]);
}
