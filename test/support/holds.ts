import { env, runInDurableObject } from "cloudflare:test";
import { saveHolds } from "../../src/org/decisions/store.ts";
import { fromRow, HOLDS, type HoldRow } from "../../src/org/decisions/table.ts";
import { transaction } from "../../src/org/kernel/journal/transaction.ts";

function inside<T>(orgId: string, use: (sql: SqlStorage) => T): Promise<T> {
  const namespace = (env as { ORG: DurableObjectNamespace }).ORG;
  return runInDurableObject(namespace.getByName(orgId), (_object, { storage }) =>
    transaction(storage, () => use(storage.sql)),
  );
}

/** All holds that an object has stored after a fold, in the order of their numbers. */
export function storedHolds(sql: SqlStorage): HoldRow[] {
  const inPages = [...HOLDS.pages(sql).latest()].toReversed().map(fromRow);
  return [...sql.exec<HoldRow>("SELECT * FROM holds ORDER BY seq").toArray(), ...inPages];
}

export function holdsOf(
  orgId: string,
  isWanted: (hold: HoldRow) => boolean = () => true,
): Promise<HoldRow[]> {
  return inside(orgId, (sql) => storedHolds(sql).filter(isWanted));
}

export async function countOfHolds(orgId: string, isWanted: (hold: HoldRow) => boolean): Promise<number> {
  return inside(orgId, (sql) => storedHolds(sql).filter(isWanted).length);
}

export function isOpen({ status }: HoldRow): boolean {
  return status === "open";
}

/** Tampers with all holds of an org. */
export function changeHolds(orgId: string, change: (hold: HoldRow) => HoldRow): Promise<void> {
  return inside(orgId, (sql) => saveHolds(sql, storedHolds(sql).map(change)));
}

export function addHolds(orgId: string, holds: readonly HoldRow[]): Promise<void> {
  return inside(orgId, (sql) => saveHolds(sql, holds));
}

/** Each hold in a row of its own, as in the version before. */
export const HOLDS_IN_ROWS = `
  INSERT INTO holds (seq, id, digest, status, at, expires_at, ended_at, amount, meters, customer_id, verdict, unreported,
      rates, tokens, beside, asked)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7,
      value ->> 8, value ->> 9, value ->> 10, value ->> 11, value ->> 12, value ->> 13, value ->> 14, value ->> 15
    FROM hold_pages, json_each(body);
  DROP TABLE hold_pages;
  DROP TABLE hold_pages_from;
  DROP TABLE hold_id_segments;
  DROP TABLE hold_id_blocks;
  DROP TABLE hold_id_block_parts;
  DELETE FROM schema_steps WHERE name = 'holds/11'`;
