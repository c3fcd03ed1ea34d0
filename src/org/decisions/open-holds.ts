import type { CheckpointedSql } from "../../storage/transaction.ts";
import { toHoldRow, HOLDS, type HoldRow, idIn, expiryOfOpenHold } from "./table.ts";

/** Open holds. */

/** Returns the holds whose time is up, earliest first, as far as the caller wants them, and at most so many. */
export function overHolds(
  sql: CheckpointedSql,
  now: number,
  most: number,
  isWanted: (hold: HoldRow) => boolean = () => true,
): HoldRow[] {
  const found: HoldRow[] = [];
  const pages = sql
    .exec<{ first: number; at: number }>(
      `SELECT first, first_expiry AS at FROM ${HOLDS.pagesIn(sql)} WHERE first_expiry <= ? ORDER BY first_expiry`,
      now,
    )
    .toArray();
  for (const { first, at } of pages) {
    if (found.length >= most && at >= lastEnd(found, most)) break;
    for (const hold of openIn(sql, first)) if (hold.expires_at <= now && isWanted(hold)) found.push(hold);
  }
  return found.sort((one, other) => one.expires_at - other.expires_at).slice(0, most);
}

/** When the last of the first ones ends. */
function lastEnd(holds: readonly HoldRow[], most: number): number {
  return holds.map(({ expires_at: end }) => end).toSorted((one, other) => one - other)[most - 1] ?? Infinity;
}

/** All of them. */
export function* allOpen(sql: CheckpointedSql): Generator<HoldRow> {
  for (const { first } of openPages(sql)) yield* openIn(sql, first);
}

export function reservesOf({ meters }: Pick<HoldRow, "meters">, meterId: string): boolean {
  return ` ${meters} `.includes(` ${meterId} `);
}

/** Returns what those that end later hold, in nano-dollars. */
export function sumHeldAfter(sql: CheckpointedSql, now: number): bigint {
  let nanos = 0n;
  for (const { first, first_expiry: at, held } of openPages(sql)) {
    if (at > now) nanos += BigInt(held);
    else for (const hold of openIn(sql, first)) if (hold.expires_at > now) nanos += BigInt(hold.amount);
  }
  return nanos;
}

/** How many there are, with those that memory has. */
export function countOpen(sql: SqlStorage): number {
  const { n } = sql
    .exec<{ n: number }>(
      `SELECT IFNULL(SUM(open), 0) AS n FROM ${HOLDS.storedPagesIn(sql)} WHERE first_expiry IS NOT NULL`,
    )
    .one();
  let open = n;
  for (const row of HOLDS.touched(sql)) if (wasOpen(sql, row)) open -= 1;
  for (const row of HOLDS.changed(sql)) if (expiryOfOpenHold(row) !== null) open += 1;
  return open;
}

/** Returns whether a hold that memory has changed is open where it is stored. */
function wasOpen(sql: SqlStorage, row: readonly (string | number | null)[]): boolean {
  const pages = HOLDS.pages(sql);
  const stored = pages.row(pages.numberOf(row));
  return stored !== null && expiryOfOpenHold(stored) !== null;
}

/** The earliest time at which one expires, with those that memory has. Null if there is none. */
export function nextExpiry(sql: SqlStorage): number | null {
  let { at } = sql
    .exec<{ at: number | null }>(
      `SELECT MIN(first_expiry) AS at FROM ${HOLDS.storedPagesIn(sql)} WHERE first_expiry IS NOT NULL`,
    )
    .one();
  for (const row of HOLDS.changed(sql)) {
    const end = expiryOfOpenHold(row);
    if (end !== null && (at === null || end < at)) at = end;
  }
  return at;
}

/** The ids of the holds that were stored last, the latest first. */
export function latestIds(sql: SqlStorage, most: number): string[] {
  const ids: string[] = [];
  for (const row of HOLDS.pages(sql).latest()) {
    if (ids.length >= most) break;
    ids.push(idIn(row));
  }
  return ids;
}

type OpenPage = { first: number; first_expiry: number; held: string };

function openPages(sql: CheckpointedSql): OpenPage[] {
  return sql
    .exec<OpenPage>(
      `SELECT first, first_expiry, held FROM ${HOLDS.pagesIn(sql)} WHERE first_expiry IS NOT NULL ORDER BY first`,
    )
    .toArray();
}

function openIn(sql: SqlStorage, page: number): HoldRow[] {
  return HOLDS.pages(sql)
    .at(page)
    .filter((row) => expiryOfOpenHold(row) !== null)
    .map(toHoldRow);
}
