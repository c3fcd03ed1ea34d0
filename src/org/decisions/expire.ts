import { DUE } from "../kernel/due-kinds.ts";
import { HOLDS_EXPIRED_SERIES } from "../../contract/metrics.ts";
import type { Account } from "../../domain/meter/meter.ts";
import { formatUsd } from "../../domain/price/money.ts";
import { TransactionalCache } from "../../storage/transactional-cache.ts";
import { checkpoint, type CheckpointedSql } from "../../storage/transaction.ts";
import type { Estimate, Tx } from "../kernel/door.ts";
import type { DueHandler } from "../kernel/due/handler.ts";
import { announceCharges } from "../ledger/announce.ts";
import { UnitOfWork } from "../ledger/unit-of-work.ts";
import { ExpiredHolds } from "./charge.ts";
import { DELIVERIES_AT_ONCE, subscribersTo } from "../webhooks/fan-out.ts";
import { subjectIn } from "./hold-extras.ts";
import { nextExpiry, overHolds, reservesOf } from "./open-holds.ts";
import { endHolds, type HoldRow, loadHold } from "./store.ts";

/**
 * If many holds end together, one transaction ends at most this many, so that the object answers other calls in
 * between: this many holds and webhook deliveries, and as many again for each limit without room.
 */
const AT_ONCE = 500;
export const TRIES_FOR_ROOM = 4;

/** No open hold ends before this time. Null if none is open. */
const earliest = new TransactionalCache<number | null>();

/**
 * Ends expired holds, earliest first. If there are more than one transaction ends, due work continues with the rest.
 * Every command that needs room does this first, so that it does not wait for the alarm.
 */
export function expireHolds(tx: Tx): void {
  const sql = ifSomeAreOver(tx);
  if (sql === null) return;
  const work = new UnitOfWork(tx.sql, "decision", tx.now);
  expire(tx, work, overHolds(sql, tx.now, atOnce(sql)));
  work.save();
}

/**
 * For a limit without room: ends its own expired holds, however many others come before them. The amounts that they
 * held become free in the unit of work, which the caller saves. If none, the limit is really full.
 */
export function expireHoldsOf(tx: Tx, work: UnitOfWork, { meter, subject }: Account): readonly HoldRow[] {
  const sql = ifSomeAreOver(tx);
  if (sql === null) return [];
  const isOwn = (hold: HoldRow) =>
    reservesOf(hold, meter.id) && (subject === "" || subjectIn(meter, hold) === subject);
  return expire(tx, work, overHolds(sql, tx.now, atOnce(sql), isOwn));
}

/** Ends one hold, if it has expired. */
export function expireHold(tx: Tx, id: string): void {
  const row = loadHold(tx.sql, id);
  if (row === null || row.status !== "open" || row.expires_at > tx.now) return;
  const work = new UnitOfWork(tx.sql, "decision", tx.now);
  expire(tx, work, [row]);
  work.save();
}

/** Returns the holds as they are then. */
function expire(tx: Tx, work: UnitOfWork, rows: readonly HoldRow[]): readonly HoldRow[] {
  earliest.forget(tx.sql);
  if (rows.length === 0) return [];
  const expired = new ExpiredHolds(tx, work, rows);
  const ended = rows.map((row) => expired.end(row));
  endHolds(
    tx.sql,
    ended.map(({ hold }) => hold),
    "expired",
    tx.now,
  );
  tx.emitAll(
    "reservation.expired",
    ended.map(({ hold, estimate }) => expiryOf(hold, estimate)),
  );
  tx.count(HOLDS_EXPIRED_SERIES, rows.length);
  const estimates = ended.flatMap(({ estimate }) => (estimate === null ? [] : [estimate]));
  if (estimates.length > 0) {
    tx.hooks.recordEstimates(tx, estimates);
    announceCharges(tx, work.entries());
  }
  return ended.map(({ hold }) => ({ ...hold, status: "expired" }));
}

/** With a checkpoint if some are. */
function ifSomeAreOver(tx: Tx): CheckpointedSql | null {
  const first = earliest.get(tx.sql, () => nextExpiry(tx.sql));
  return first === null || first > tx.now ? null : checkpoint(tx.sql);
}

function atOnce(sql: SqlStorage): number {
  const hearers = subscribersTo(sql, "reservation.expired").length;
  return hearers === 0 ? AT_ONCE : Math.min(AT_ONCE, Math.ceil(DELIVERIES_AT_ONCE / hearers));
}

/** With the run that it has become, if it has. */
function expiryOf(row: HoldRow, estimate: Estimate | null): object {
  return {
    reservation_id: row.id,
    amount_usd: formatUsd(BigInt(row.amount)),
    expired_at: new Date(row.expires_at).toISOString(),
    ...(estimate === null ? {} : { run_id: estimate.runId }),
  };
}

/**
 * Called before new holds that end at or after this time. One row stands for all holds and is due when the first one
 * expires, so a hold needs no row of its own.
 */
export function expireNoLaterThan(tx: Tx, at: number): void {
  const first = earliest.get(tx.sql, () => nextExpiry(tx.sql));
  if (first !== null && first <= at) return;
  earliest.set(tx.sql, at);
  tx.schedule(DUE.reservations, "", at);
}

export const expireDueHolds: DueHandler = {
  kind: "change",
  run(tx) {
    expireHolds(tx);
    const next = nextExpiry(tx.sql);
    earliest.set(tx.sql, next);
    tx.schedule(DUE.reservations, "", next);
  },
};
