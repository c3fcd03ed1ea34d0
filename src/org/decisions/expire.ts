import { DUE } from "../kernel/due-kinds.ts";
import { HOLDS_EXPIRED_SERIES } from "../../contract/metrics.ts";
import type { Account } from "../../domain/meter.ts";
import { formatUsd } from "../../domain/money.ts";
import { EXPIRED_HOLD_KEPT_MS } from "../../domain/retention.ts";
import { Copy } from "../kernel/copies.ts";
import type { Tx } from "../kernel/door.ts";
import type { DueHandler } from "../kernel/due/handler.ts";
import { Draft } from "../ledger/draft.ts";
import { DELIVERIES_AT_ONCE, hearersOf } from "../webhooks/fan-out.ts";
import { endHolds, type HoldRow, letGo, loadHold } from "./store.ts";

/**
 * However many holds end together, one transaction ends no more than these, so that the object answers others in
 * between: so many holds, so many webhook deliveries, and for a limit that has no room as many again, this often.
 */
const AT_ONCE = 500;
export const TRIES_FOR_ROOM = 4;

/** No open hold ends before this moment; null when none is open. */
const earliest = new Copy<number | null>();

const OVER = "status = 'open' AND expires_at <= ?1";

/**
 * Ends holds whose time is up, the first of them first; where there are more than one transaction ends, due work goes on
 * with the rest. Every command that asks for room does this first, so that none waits for the alarm.
 */
export function expireHolds(tx: Tx): void {
  if (!someAreOver(tx)) return;
  const draft = new Draft(tx.sql, "decision", tx.now);
  const some = tx.sql.exec<HoldRow>(
    `SELECT * FROM holds WHERE ${OVER} ORDER BY expires_at LIMIT ?2`,
    tx.now,
    atOnce(tx.sql),
  );
  expire(tx, draft, some.toArray());
  draft.save();
}

/**
 * For a limit that has no room: ends those of its own holds whose time is up, however many others come before them. What
 * they held is free in the draft, which the caller saves. None: it is as full as it looks.
 */
export function expireHoldsOf(tx: Tx, draft: Draft, { meter, subject }: Account): readonly HoldRow[] {
  if (!someAreOver(tx)) return [];
  const whose = meter.scope.kind === "chain" ? "beside ->> 'chain'" : "customer_id";
  const own = tx.sql.exec<HoldRow>(
    `SELECT * FROM holds WHERE ${OVER} AND instr(' ' || meters || ' ', ?2) > 0 AND (?3 = '' OR ${whose} = ?3)
     ORDER BY expires_at LIMIT ?4`,
    tx.now,
    ` ${meter.id} `,
    subject,
    atOnce(tx.sql),
  );
  const rows = own.toArray();
  expire(tx, draft, rows);
  return rows;
}

/** Ends one hold, if its time is up. */
export function expireHold(tx: Tx, id: string): void {
  const row = loadHold(tx.sql, id);
  if (row === null || row.status !== "open" || row.expires_at > tx.now) return;
  const draft = new Draft(tx.sql, "decision", tx.now);
  expire(tx, draft, [row]);
  draft.save();
}

function expire(tx: Tx, draft: Draft, rows: readonly HoldRow[]): void {
  earliest.forget(tx.sql);
  if (rows.length === 0) return;
  for (const row of rows) letGo(draft, row);
  endHolds(tx.sql, rows, "expired", tx.now);
  tx.emitAll("reservation.expired", rows.map(expiryOf));
  tx.count(HOLDS_EXPIRED_SERIES, rows.length);
}

function someAreOver(tx: Tx): boolean {
  const first = earliest.get(tx.sql, () => nextExpiry(tx.sql));
  return first !== null && first <= tx.now;
}

function atOnce(sql: SqlStorage): number {
  const hearers = hearersOf(sql, "reservation.expired").length;
  return hearers === 0 ? AT_ONCE : Math.min(AT_ONCE, Math.ceil(DELIVERIES_AT_ONCE / hearers));
}

function expiryOf(row: HoldRow): object {
  return {
    reservation_id: row.id,
    amount_usd: formatUsd(BigInt(row.amount)),
    expired_at: new Date(row.expires_at).toISOString(),
  };
}

/**
 * Before holds are made that end then or later. One row stands for all holds, due when the first of them is: a hold
 * costs no row of its own.
 */
export function expireNoLaterThan(tx: Tx, at: number): void {
  const first = earliest.get(tx.sql, () => nextExpiry(tx.sql));
  if (first !== null && first <= at) return;
  earliest.set(tx.sql, at);
  tx.schedule(DUE.reservations, "", at);
}

/** The earliest moment at which a hold will need ending; null when none stands. */
function nextExpiry(sql: SqlStorage): number | null {
  return sql
    .exec<{ at: number | null }>("SELECT MIN(expires_at) AS at FROM holds WHERE status = 'open'")
    .one().at;
}

export const expireDueHolds: DueHandler = {
  kind: "change",
  run(tx) {
    expireHolds(tx);
    const isClean = forgetExpired(tx);
    const next = nextExpiry(tx.sql);
    earliest.set(tx.sql, next);
    tx.schedule(DUE.reservations, "", isClean ? next : tx.now);
  },
};

/** Takes away holds that ended long ago; false: there are more. */
function forgetExpired(tx: Tx): boolean {
  const old = "SELECT seq FROM holds WHERE ended_at <= ?1 ORDER BY ended_at LIMIT ?2";
  const before = tx.now - EXPIRED_HOLD_KEPT_MS;
  const found = tx.sql.exec(old, before, AT_ONCE).toArray().length;
  if (found > 0) tx.sql.exec(`DELETE FROM holds WHERE seq IN (${old})`, before, AT_ONCE);
  return found < AT_ONCE;
}
