import { isSameRequest, questionPart } from "../../domain/reservation-id.ts";
import type { Draw } from "../../domain/credit.ts";
import { withoutHeld } from "../../domain/usage.ts";
import type { Row } from "../kernel/journal/shape.ts";
import { JournalTable } from "../kernel/journal/table.ts";
import { readInParts } from "../kernel/json-rows.ts";
import type { CountedRates } from "./counted.ts";
import type { Draft } from "../ledger/draft.ts";
import type { Entry } from "../meters/usage.ts";
import { besideOf, heldIn } from "./held.ts";
import { idTail } from "./schema.ts";

/** An amount reserved in every limit that admitted it, until a run settles it, it is released or it expires. */
export type HoldRow = {
  /** Its row id, once it is stored. */
  seq?: number | null;
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

/** Every column except those by which a hold is found. The type keeps the list complete. */
const CHANGED: Readonly<Record<Exclude<keyof HoldRow, "seq" | "id">, true>> = {
  digest: true,
  status: true,
  at: true,
  expires_at: true,
  ended_at: true,
  amount: true,
  meters: true,
  customer_id: true,
  verdict: true,
  unreported: true,
  rates: true,
  tokens: true,
  beside: true,
  asked: true,
};
const CHANGING = Object.keys(CHANGED) as (keyof typeof CHANGED)[];
const COLUMNS = ["seq", "id", ...CHANGING] as const;
const ID_AT = COLUMNS.indexOf("id");
const STATUS_AT = COLUMNS.indexOf("status");
const TABLE = new JournalTable({
  name: "holds",
  columns: COLUMNS,
  key: ["seq"],
  named: ["id"],
  isNumbered: true,
  changing: CHANGING,
});

function toRow(hold: HoldRow): Row {
  return COLUMNS.map((column) => hold[column] ?? null);
}

function fromRow(row: Row): HoldRow {
  return Object.fromEntries(COLUMNS.map((column, index) => [column, row[index]])) as HoldRow;
}

/** Holds that are not in the table yet, or not like that. */
export function* changedHolds(sql: SqlStorage): Generator<HoldRow> {
  for (const row of TABLE.changed(sql)) yield fromRow(row);
}

/** By the end of its id, which has an index, and then by all of it. */
const BY_ID = `${idTail("id")} = ${idTail("?1")} AND id = ?1`;

export function loadHold(sql: SqlStorage, id: string): HoldRow | null {
  const changed = TABLE.get(sql, id);
  if (changed !== undefined) return changed === null ? null : fromRow(changed);
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
  const known: KnownHolds = { holds: new Map(), settled: new Set() };
  if (ids.length === 0) return known;
  const asked = new Set(ids);
  const rows = readInParts(ids, (json) =>
    sql.exec<HoldRow>(
      `SELECT h.* FROM json_each(?) AS k
       CROSS JOIN holds AS h ON ${idTail("h.id")} = ${idTail("k.value")} AND (h.id = k.value OR h.status = 'settled')`,
      json,
    ),
  );
  for (const row of rows) {
    if (TABLE.get(sql, row.id) !== undefined) continue;
    if (asked.has(row.id)) known.holds.set(row.id, row);
    if (row.status === "settled") known.settled.add(questionPart(row.id));
  }
  for (const id of asked) {
    const changed = TABLE.get(sql, id);
    if (changed !== undefined && changed !== null) known.holds.set(id, fromRow(changed));
  }
  for (const row of TABLE.changed(sql)) {
    if (row[STATUS_AT] === "settled") known.settled.add(questionPart(String(row[ID_AT])));
  }
  return known;
}

/** Every hold of the request that an id belongs to, whatever was asked. */
export function loadRequest(sql: SqlStorage, id: string): HoldRow[] {
  const rows = sql.exec<HoldRow>(`SELECT * FROM holds WHERE ${idTail("id")} = ${idTail("?")}`, id).toArray();
  const found = rows.filter((row) => TABLE.get(sql, row.id) === undefined && isSameRequest(row.id, id));
  for (const row of TABLE.changed(sql)) if (isSameRequest(String(row[ID_AT]), id)) found.push(fromRow(row));
  return found;
}

/** Whether any hold was settled or released before it was reported. */
export function hasUnreported(sql: SqlStorage): boolean {
  for (const { unreported } of changedHolds(sql)) if (unreported !== null) return true;
  return sql.exec("SELECT 1 FROM holds WHERE unreported IS NOT NULL LIMIT 1").toArray().length > 0;
}

/** How many holds are open. */
export function openHolds(sql: SqlStorage): number {
  const changed = [...TABLE.touched(sql)].map((row) => row[0]);
  const { n } = sql
    .exec<{ n: number }>(
      "SELECT count(*) AS n FROM holds WHERE status = 'open' AND seq NOT IN (SELECT value FROM json_each(?))",
      JSON.stringify(changed),
    )
    .one();
  let open = n;
  for (const { status } of changedHolds(sql)) if (status === "open") open += 1;
  return open;
}

export function insertHold(sql: SqlStorage, hold: HoldRow): void {
  saveHolds(sql, [hold]);
}

export function saveHolds(sql: SqlStorage, holds: readonly HoldRow[]): void {
  TABLE.put(sql, holds.map(toRow));
}

/**
 * A request that is decided again after its hold was released has the same name, so the new hold replaces the old one.
 */
export function deleteHold(sql: SqlStorage, id: string): void {
  const hold = loadHold(sql, id);
  if (hold !== null) TABLE.delete(sql, [toRow(hold)]);
}

export function prolongHold(sql: SqlStorage, id: string, expiresAt: number): void {
  const hold = loadHold(sql, id);
  if (hold !== null && hold.expires_at < expiresAt) saveHolds(sql, [{ ...hold, expires_at: expiresAt }]);
}

export function endHold(sql: SqlStorage, id: string, status: HoldRow["status"], now: number): void {
  const hold = loadHold(sql, id);
  if (hold !== null) endHolds(sql, [hold], status, now);
}

/** The same for holds that were read. */
export function endHolds(
  sql: SqlStorage,
  holds: readonly HoldRow[],
  status: HoldRow["status"],
  now: number,
): void {
  saveHolds(
    sql,
    holds.map((hold) => ({ ...hold, status, ended_at: now })),
  );
}

/** The accounts of a hold, even after it ended. */
export function standingOf(draft: Draft, hold: HoldRow): Entry[] {
  const { chain, groups } = besideOf(hold);
  const whose = { customer: hold.customer_id ?? undefined, chain: chain ?? undefined, groups };
  return draft.standing(hold.meters.split(" "), whose, hold.at);
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
