import { withoutHeld } from "../../domain/usage.ts";
import type { Draft } from "../ledger/draft.ts";

/** An amount set aside in every limit it was admitted against, until a run settles it, it is released or expires. */
export type HoldRow = {
  id: string;
  request_id: string | null;
  /** Of what was asked: the same request id with another question is a conflict. */
  digest: string;
  status: "open" | "settled" | "released" | "expired";
  at: number;
  expires_at: number;
  ended_at: number | null;
  amount: string;
  meters: string;
  customer_id: string | null;
  /** The answer as it was given, for whoever asks again. */
  verdict: string;
};

export function loadHold(sql: SqlStorage, id: string): HoldRow | null {
  return sql.exec<HoldRow>("SELECT * FROM holds WHERE id = ?", id).toArray()[0] ?? null;
}

export function loadHolds(sql: SqlStorage, ids: readonly string[]): Map<string, HoldRow> {
  if (ids.length === 0) return new Map();
  const rows = sql.exec<HoldRow>(
    "SELECT * FROM holds WHERE id IN (SELECT value FROM json_each(?))",
    JSON.stringify(ids),
  );
  return new Map(rows.toArray().map((row) => [row.id, row]));
}

/** A request that is asked anew after its hold was let go has the same name again: the new hold takes its place. */
export function insertHold(sql: SqlStorage, row: HoldRow): void {
  sql.exec(
    `INSERT OR REPLACE INTO holds (id, request_id, digest, status, at, expires_at, ended_at, amount, meters, customer_id, verdict)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.request_id,
    row.digest,
    row.status,
    row.at,
    row.expires_at,
    row.ended_at,
    row.amount,
    row.meters,
    row.customer_id,
    row.verdict,
  );
}

export function endHold(sql: SqlStorage, id: string, status: HoldRow["status"], now: number): void {
  sql.exec("UPDATE holds SET status = ?, ended_at = ? WHERE id = ?", status, now, id);
}

/** Takes a hold's amount back out of the limits where it stands. */
export function letGo(draft: Draft, hold: HoldRow): void {
  const amount = BigInt(hold.amount);
  for (const entry of draft.standing(hold.meters.split(" "), hold.customer_id ?? "", hold.at)) {
    // Never more than is held there: what a limit has counted must not keep a hold from ending.
    entry.usage = withoutHeld(entry.usage, amount < entry.usage.held ? amount : entry.usage.held);
  }
}
