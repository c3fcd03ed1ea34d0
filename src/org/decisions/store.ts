import { isSameRequest, fingerprintPart } from "../../domain/reservation/reservation-id.ts";
import { SettledRequests } from "../../domain/reservation/settled-requests.ts";
import type { Draw } from "../../domain/meter/credit.ts";
import { withoutHeld } from "../../domain/meter/usage.ts";
import type { UnitOfWork } from "../ledger/unit-of-work.ts";
import type { MeterAccount } from "../meters/usage.ts";
import { readHeldAmounts, holdExtrasOf, readHeldAmount } from "./hold-extras.ts";
import { estimateIn, holdRequestOf } from "./hold-request.ts";
import {
  toHoldRow,
  HOLDS,
  type HoldRow,
  holdKeyHash,
  idIn,
  isSettled,
  isUnreported,
  expiryOfOpenHold,
  toRow,
} from "./table.ts";

export type { HoldRow } from "./table.ts";

export function loadHold(sql: SqlStorage, id: string): HoldRow | null {
  const changed = HOLDS.get(sql, id);
  if (changed !== undefined) return changed === null ? null : toHoldRow(changed);
  return storedHolds(sql, keyHashesOf([id])).find((hold) => hold.id === id) ?? null;
}

export interface KnownHolds {
  /** By id. */
  readonly holds: Map<string, HoldRow>;
  /** The requests of which a hold is settled, by fingerprint. */
  readonly settled: SettledRequests;
  /** By fingerprint, the hold that became a run when it expired. Its id may be of another half day. */
  readonly charged: Map<string, HoldRow>;
}

export function loadHolds(sql: SqlStorage, ids: readonly string[]): KnownHolds {
  const known: KnownHolds = { holds: new Map(), settled: new SettledRequests(), charged: new Map() };
  if (ids.length === 0) return known;
  const asked = new Set(ids);
  const keyHashes = keyHashesOf(ids);
  for (const row of storedHolds(sql, keyHashes)) {
    if (asked.has(row.id)) known.holds.set(row.id, row);
    if (row.status === "settled") known.settled.add(row.id);
    else noteCharged(known, row);
  }
  for (const row of HOLDS.withKeyHashes(sql, keyHashes)) {
    const id = idIn(row);
    if (asked.has(id)) known.holds.set(id, toHoldRow(row));
    if (isSettled(row)) known.settled.add(id);
    else if (expiryOfOpenHold(row) === null) noteCharged(known, toHoldRow(row));
  }
  return known;
}

function noteCharged({ charged }: KnownHolds, hold: HoldRow): void {
  if (estimateIn(hold) !== null) charged.set(fingerprintPart(hold.id), hold);
}

/** Returns those of the ids that no hold has. */
export function unknownIds(sql: SqlStorage, ids: readonly string[]): readonly string[] {
  const known = new Set<string>();
  for (const row of HOLDS.withKeyHashes(sql, keyHashesOf(ids))) known.add(idIn(row));
  const rest = ids.filter((id) => !known.has(id));
  if (rest.length === 0) return rest;
  for (const { id } of storedHolds(sql, keyHashesOf(rest))) known.add(id);
  return rest.filter((id) => !known.has(id));
}

function keyHashesOf(ids: readonly string[]): Set<number> {
  const keyHashes = new Set<number>();
  for (const id of ids) keyHashes.add(holdKeyHash(id));
  return keyHashes;
}

/** Every hold of the request that an id belongs to, whatever was asked. */
export function loadRequest(sql: SqlStorage, id: string): HoldRow[] {
  const found = storedHolds(sql, keyHashesOf([id])).filter((row) => isSameRequest(row.id, id));
  for (const row of HOLDS.withKeyHashes(sql, [holdKeyHash(id)])) {
    if (isSameRequest(idIn(row), id)) found.push(toHoldRow(row));
  }
  return found;
}

/** Returns those of the ids, and a few others, whose holds are known, and not only from their runs. */
export function reportedIds(sql: SqlStorage, ids: readonly string[]): Set<string> {
  const reported = new Set<string>();
  const keyHashes = keyHashesOf(ids);
  for (const { id, unreported } of storedHolds(sql, keyHashes)) if (unreported === null) reported.add(id);
  for (const row of HOLDS.withKeyHashes(sql, keyHashes)) if (!isUnreported(row)) reported.add(idIn(row));
  return reported;
}

/** Returns the stored holds with these key hashes, except those that are in memory. */
function storedHolds(sql: SqlStorage, keyHashes: ReadonlySet<number>): HoldRow[] {
  const rows = HOLDS.pages(sql).find(keyHashes);
  return rows.filter((row) => HOLDS.get(sql, idIn(row)) === undefined).map(toHoldRow);
}

/** Returns whether any hold was settled or released before it was reported. */
export function hasUnreported(sql: SqlStorage): boolean {
  for (const row of HOLDS.changed(sql)) if (isUnreported(row)) return true;
  return (
    sql.exec(`SELECT 1 FROM ${HOLDS.storedPagesIn(sql)} WHERE unreported > 0 LIMIT 1`).toArray().length > 0
  );
}

export function insertHold(sql: SqlStorage, hold: HoldRow): void {
  saveHolds(sql, [hold]);
}

export function saveHolds(sql: SqlStorage, holds: readonly HoldRow[]): void {
  HOLDS.put(sql, holds.map(toRow));
}

/**
 * A request that is decided again after its hold was released has the same name, so the new hold replaces the old one.
 */
export function deleteHold(sql: SqlStorage, id: string): void {
  const hold = loadHold(sql, id);
  if (hold !== null) HOLDS.delete(sql, [toRow(hold)]);
}

/** Until the later end, and with what is known of its call. It is charged if either is. */
export function prolongHold(sql: SqlStorage, id: string, expiresAt: number, asked: string | null): void {
  const hold = loadHold(sql, id);
  if (hold === null) return;
  const isMore = hold.asked === null || (isCharged(asked) && !isCharged(hold.asked));
  const known = isMore ? (asked ?? hold.asked) : hold.asked;
  if (hold.expires_at >= expiresAt && known === hold.asked) return;
  const end = Math.max(hold.expires_at, expiresAt);
  saveHolds(sql, [{ ...hold, expires_at: end, asked: known }]);
}

function isCharged(asked: string | null): boolean {
  return holdRequestOf({ asked })?.isCharged === true;
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
export function standingOf(work: UnitOfWork, hold: HoldRow): readonly MeterAccount[] {
  const customer = hold.customer_id ?? undefined;
  if (hold.beside === null) return work.standing(hold.meters, { customer }, hold.at);
  const { chain, groups } = holdExtrasOf(hold);
  return work.standing(hold.meters, { customer, chain: chain ?? undefined, groups }, hold.at);
}

/** Gives back to the limits what a hold reserves. Returns what it had of which credit packs. */
export function giveBackHold(work: UnitOfWork, hold: HoldRow): readonly Draw[] {
  const packs: Draw[] = [];
  const held = readHeldAmounts(hold);
  for (const entry of standingOf(work, hold)) {
    const wanted = readHeldAmount(entry.meter, held);
    // Never more than is held there: an inconsistent counter must not keep a hold from ending.
    const amount = wanted < entry.usage.held ? wanted : entry.usage.held;
    entry.usage = withoutHeld(entry.usage, amount);
    if (entry.meter.kind === "credit_pack") packs.push({ pack: entry, amount });
  }
  return packs;
}
