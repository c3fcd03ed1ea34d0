import { HOUR_MS } from "../../../contract/durations.ts";
import { refuse } from "../../../contract/refusal.ts";
import { encrypt, decryptAny } from "../../../domain/key/encrypt.ts";
import { newSeed } from "../../../domain/bytes/ulid.ts";
import { peppersOf } from "../../../settings.ts";
import type { Answer, IdempotencyAsk, Outcome, View } from "../door.ts";
import { deleteRest, restOf, storeRest } from "./parts.ts";
import { deleteRecord, hasChanged, loadRecord, type Record, saveRecord, storedBefore } from "./store.ts";

export const KEPT_MS = 24 * HOUR_MS;
const PURGED_AT_ONCE = 20;
const ENCRYPTION_PURPOSE = "idempotency";

/** The right to do the work, with a fence number, or the response to give instead. */
export type Claim =
  | { readonly kind: "granted"; readonly fence: number; readonly seed: string }
  | { readonly kind: "answered"; readonly outcome: Outcome };

const routeOf = (ask: IdempotencyAsk) => `${ask.method} ${ask.path}`;

function load(view: View, ask: IdempotencyAsk): Record | null {
  const record = loadRecord(view.sql, routeOf(ask), ask.key);
  return record === null || record.reserved_at + KEPT_MS <= view.now ? null : record;
}

function replay(view: View, ask: IdempotencyAsk, row: Record & { status: number }): Answer {
  const ciphertext = row.sealed === null ? null : row.sealed + restOf(view.sql, routeOf(ask), ask.key);
  const text =
    ciphertext === null ? null : decryptAny(peppersOf(view.settings), ENCRYPTION_PURPOSE, ciphertext);
  return { status: row.status, text, etag: row.etag, code: row.code, replayed: true };
}

/**
 * Takes the key for one attempt. A first attempt older than the takeover time is presumed crashed and loses the key to
 * this one. If it comes back, its fence is no longer valid.
 */
export function claim(view: View, ask: IdempotencyAsk): Claim {
  const row = load(view, ask);
  if (row === null) return reserve(view, ask, 1, newSeed(view.now));
  if (row.digest !== ask.digest) return { kind: "answered", outcome: refuse("idempotency_key_conflict") };
  if (row.status !== null) {
    return { kind: "answered", outcome: replay(view, ask, { ...row, status: row.status }) };
  }
  if (ask.fence === row.fence) return { kind: "granted", fence: row.fence, seed: row.seed };
  const takeoverAt = row.reserved_at + view.settings.SVC_IDEMPOTENCY_INFLIGHT_TAKEOVER_SECS * 1000;
  if (view.now < takeoverAt) return { kind: "answered", outcome: refuse("idempotency_key_processing") };
  return reserve(view, ask, row.fence + 1, row.seed);
}

function reserve(view: View, ask: IdempotencyAsk, fence: number, seed: string): Claim {
  // A call that holds a fence for a record that is gone, or that another has taken over, comes too late to do anything.
  if (ask.fence !== null) return { kind: "answered", outcome: refuse("idempotency_key_processing") };
  for (const { route, key } of storedBefore(view.sql, view.now - KEPT_MS, PURGED_AT_ONCE)) {
    // One that was taken anew is not the one that the table has.
    if (!hasChanged(view.sql, route, key)) remove(view.sql, route, key);
  }
  deleteRest(view.sql, routeOf(ask), ask.key);
  saveRecord(view.sql, {
    route: routeOf(ask),
    key: ask.key,
    digest: ask.digest,
    fence,
    seed,
    reserved_at: view.now,
    status: null,
    code: null,
    etag: null,
    sealed: null,
  });
  return { kind: "granted", fence, seed };
}

/** Refusals that a top-up, a new key or a fix can lift are not stored: the same key may try again. */
function isKept(status: number): boolean {
  return status < 500 && ![401, 402, 403, 429].includes(status);
}

export function complete(view: View, ask: IdempotencyAsk, answer: Omit<Answer, "replayed">): void {
  if (!isKept(answer.status)) {
    remove(view.sql, routeOf(ask), ask.key);
    return;
  }
  const record = loadRecord(view.sql, routeOf(ask), ask.key);
  if (record === null) return;
  const { text, status, code, etag } = answer;
  const ciphertext = text === null ? null : encrypt(view.settings.SVC_KEY_PEPPER, ENCRYPTION_PURPOSE, text);
  const first = ciphertext === null ? null : storeRest(view.sql, routeOf(ask), ask.key, ciphertext);
  saveRecord(view.sql, { ...record, status, code, etag, sealed: first });
}

function remove(sql: SqlStorage, route: string, key: string): void {
  deleteRecord(sql, route, key);
  deleteRest(sql, route, key);
}
