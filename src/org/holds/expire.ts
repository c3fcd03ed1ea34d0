import { HOLDS_EXPIRED_SERIES } from "../../contract/metrics.ts";
import { formatUsd } from "../../domain/money.ts";
import { EXPIRED_HOLD_KEPT_MS } from "../../domain/retention.ts";
import { Copy } from "../copies.ts";
import type { Tx } from "../door.ts";
import type { DueHandler } from "../due/handler.ts";
import { Draft } from "../ledger/draft.ts";
import { endHold, type HoldRow, letGo } from "./store.ts";

const AT_ONCE = 500;

const HOLDS_DUE = "holds";

/** No open hold ends before this moment; null when none is open. */
const earliest = new Copy<number | null>();

/** Ends the holds whose time is up. Every command that asks for room does this first, so none waits for the alarm. */
export function expireHolds(tx: Tx): void {
  const first = earliest.get(tx.sql, () => nextExpiry(tx.sql));
  if (first === null || first > tx.now) return;
  const rows = tx.sql
    .exec<HoldRow>(
      "SELECT * FROM holds WHERE status = 'open' AND expires_at <= ? ORDER BY expires_at LIMIT ?",
      tx.now,
      AT_ONCE,
    )
    .toArray();
  earliest.forget(tx.sql);
  if (rows.length === 0) return;
  const draft = new Draft(tx.sql, "decision", tx.now);
  for (const row of rows) {
    letGo(draft, row);
    endHold(tx.sql, row.id, "expired", tx.now);
    tx.emit("reservation.expired", {
      reservation_id: row.id,
      amount_usd: formatUsd(BigInt(row.amount)),
      expired_at: new Date(row.expires_at).toISOString(),
    });
  }
  tx.count(HOLDS_EXPIRED_SERIES, rows.length);
  draft.save();
  if (rows.length === AT_ONCE) expireHolds(tx);
}

/**
 * Before holds are made that end then or later. One row stands for all holds, due when the first of them is: a hold
 * costs no row of its own.
 */
export function expireNoLaterThan(tx: Tx, at: number): void {
  const first = earliest.get(tx.sql, () => nextExpiry(tx.sql));
  if (first !== null && first <= at) return;
  earliest.set(tx.sql, at);
  tx.schedule(HOLDS_DUE, "", at);
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
    tx.sql.exec("DELETE FROM holds WHERE ended_at <= ?", tx.now - EXPIRED_HOLD_KEPT_MS);
    const next = nextExpiry(tx.sql);
    earliest.set(tx.sql, next);
    tx.schedule(HOLDS_DUE, "", next);
  },
};
