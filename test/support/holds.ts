import { env, runInDurableObject } from "cloudflare:test";
import { saveHolds } from "../../src/org/decisions/store.ts";
import { toHoldRow, HOLDS, type HoldRow } from "../../src/org/decisions/table.ts";
import { transaction } from "../../src/storage/transaction.ts";

function inside<T>(orgId: string, use: (sql: SqlStorage) => T): Promise<T> {
  const namespace = (env as { ORG: DurableObjectNamespace }).ORG;
  return runInDurableObject(namespace.getByName(orgId), (_object, { storage }) =>
    transaction(storage, () => use(storage.sql)),
  );
}

/** All holds that an object has stored after a fold, in the order of their numbers. */
export function storedHolds(sql: SqlStorage): HoldRow[] {
  return [...HOLDS.pages(sql).latest()].toReversed().map(toHoldRow);
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
