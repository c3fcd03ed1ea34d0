import { isSameRequest, questionPart } from "../../domain/reservation-id.ts";
import type { Draw } from "../../domain/credit.ts";
import { withoutHeld } from "../../domain/usage.ts";
import { readInParts } from "../kernel/json-rows.ts";
import type { CountedRates } from "./counted.ts";
import type { Draft } from "../ledger/draft.ts";
import type { Entry } from "../meters/usage.ts";
import { besideOf, heldIn } from "./held.ts";
import { idTail } from "./schema.ts";

/** An amount reserved in every limit that admitted it, until a run settles it, it is released or it expires. */
export type HoldRow = {
  /** Its row id, once it is stored. */
  seq?: number;
  id: string;
  /** The question, in a hold of an earlier version. Now the id contains a hash of it. */
  digest: string;
  status: "open" | "settled" | "released" | "expired";
  at: number;
  expires_at: number;
  ended_at: number | null;
  amount: string;
  meters: string;
  customer_id: string | null;
  /** The response, to repeat it. */
  verdict: string;
  /** Set where it was settled or released before any isolate reported it. */
  unreported: 1 | null;
  /** What it reserves of plans, chains and credit packs, as JSON. Null for nothing. */
  beside: string | null;
  /** What was asked, as JSON, where it is needed after the decision. */
  asked: string | null;
} & CountedRates;

/** By the end of its id, which has an index, and then by all of it. */
const BY_ID = `${idTail("id")} = ${idTail("?1")} AND id = ?1`;

export function loadHold(sql: SqlStorage, id: string): HoldRow | null {
  return sql.exec<HoldRow>(`SELECT * FROM holds WHERE ${BY_ID}`, id).toArray()[0] ?? null;
}

export interface KnownHolds {
  /** By id. */
  readonly holds: Map<string, HoldRow>;
  /**
   * The questions of which a hold is settled, each as what its ids share. A question that was decided in two half days has
   * two ids, and one run.
   */
  readonly settled: Set<string>;
}

export function loadHolds(sql: SqlStorage, ids: readonly string[]): KnownHolds {
  const asked = new Set(ids);
  const known: KnownHolds = { holds: new Map(), settled: new Set() };
  if (ids.length === 0) return known;
  const rows = readInParts(ids, (json) =>
    sql.exec<HoldRow>(
      `SELECT h.* FROM json_each(?) AS k
       CROSS JOIN holds AS h ON ${idTail("h.id")} = ${idTail("k.value")} AND (h.id = k.value OR h.status = 'settled')`,
      json,
    ),
  );
  for (const row of rows) {
    if (asked.has(row.id)) known.holds.set(row.id, row);
    if (row.status === "settled") known.settled.add(questionPart(row.id));
  }
  return known;
}

/** Every hold of the request that an id belongs to, whatever was asked. */
export function loadRequest(sql: SqlStorage, id: string): HoldRow[] {
  const rows = sql.exec<HoldRow>(`SELECT * FROM holds WHERE ${idTail("id")} = ${idTail("?")}`, id).toArray();
  return rows.filter((row) => isSameRequest(row.id, id));
}

/** Whether any hold was settled or released before it was reported. */
export function hasUnreported(sql: SqlStorage): boolean {
  return sql.exec("SELECT 1 FROM holds WHERE unreported IS NOT NULL LIMIT 1").toArray().length > 0;
}

export function openHolds(sql: SqlStorage): number {
  return sql.exec<{ n: number }>("SELECT count(*) AS n FROM holds WHERE status = 'open'").one().n;
}

export function insertHold(sql: SqlStorage, row: HoldRow): void {
  sql.exec(
    `INSERT INTO holds (id, digest, status, at, expires_at, ended_at, amount, meters, customer_id, verdict, unreported,
       rates, tokens, beside, asked)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.digest,
    row.status,
    row.at,
    row.expires_at,
    row.ended_at,
    row.amount,
    row.meters,
    row.customer_id,
    row.verdict,
    row.unreported,
    row.rates,
    row.tokens,
    row.beside,
    row.asked,
  );
}

/**
 * A request that is decided again after its hold was released has the same name, so the new hold replaces the old one.
 */
export function deleteHold(sql: SqlStorage, id: string): void {
  sql.exec(`DELETE FROM holds WHERE ${BY_ID}`, id);
}

export function prolongHold(sql: SqlStorage, id: string, expiresAt: number): void {
  sql.exec(`UPDATE holds SET expires_at = max(expires_at, ?2) WHERE ${BY_ID}`, id, expiresAt);
}

/** Of a hold that is renewed. */
export function changeHold(sql: SqlStorage, row: HoldRow): void {
  const { id, expires_at, amount, meters, beside } = row;
  sql.exec(
    `UPDATE holds SET expires_at = ?2, amount = ?3, meters = ?4, beside = ?5 WHERE ${BY_ID}`,
    id,
    expires_at,
    amount,
    meters,
    beside,
  );
}

export function keepAsked(sql: SqlStorage, { id, asked }: Pick<HoldRow, "id" | "asked">): void {
  sql.exec(`UPDATE holds SET asked = ?2 WHERE ${BY_ID}`, id, asked);
}

export function endHold(sql: SqlStorage, id: string, status: HoldRow["status"], now: number): void {
  sql.exec(`UPDATE holds SET status = ?2, ended_at = ?3 WHERE ${BY_ID}`, id, status, now);
}

/** The same for holds that were read from the table. */
export function endHolds(
  sql: SqlStorage,
  rows: readonly HoldRow[],
  status: HoldRow["status"],
  now: number,
): void {
  sql.exec(
    "UPDATE holds SET status = ?2, ended_at = ?3 WHERE seq IN (SELECT value FROM json_each(?1))",
    JSON.stringify(rows.map(({ seq }) => seq)),
    status,
    now,
  );
}

/** The accounts of a hold, even after it ended. */
export function standingOf(draft: Draft, hold: HoldRow): Entry[] {
  const { chain } = besideOf(hold);
  const scopes = { customer: hold.customer_id ?? undefined, chain: chain ?? undefined };
  return draft.standing(hold.meters.split(" "), scopes, hold.at);
}

/** Gives back to the limits what a hold reserves. Returns what it had of which credit packs. */
export function letGo(draft: Draft, hold: HoldRow): readonly Draw[] {
  const packs: Draw[] = [];
  for (const entry of standingOf(draft, hold)) {
    const wanted = heldIn(entry.meter, hold);
    // Never more than is held there: an inconsistent counter must not keep a hold from ending.
    const amount = wanted < entry.usage.held ? wanted : entry.usage.held;
    entry.usage = withoutHeld(entry.usage, amount);
    if (entry.meter.kind === "credit_pack") packs.push({ pack: entry, amount });
  }
  return packs;
}
