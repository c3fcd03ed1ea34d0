import { insertRow } from "../../../storage/rows.ts";

/**
 * How much of an encrypted response, which is ASCII, a row of `idempotency` holds. The platform stores no row above 2 MB.
 */
const PART_CHARACTERS = 1_000_000;

/** Stores the part of an encrypted response that does not fit into its row, and returns the part that does. */
export function storeRest(sql: SqlStorage, route: string, key: string, ciphertext: string): string {
  for (let part = 1; part * PART_CHARACTERS < ciphertext.length; part += 1) {
    const sealed = ciphertext.slice(part * PART_CHARACTERS, (part + 1) * PART_CHARACTERS);
    insertRow(sql, "idempotency_parts", { route, key, part, sealed });
  }
  return ciphertext.slice(0, PART_CHARACTERS);
}

/** The part that is stored outside the row. Empty if all of it fits. */
export function restOf(sql: SqlStorage, route: string, key: string): string {
  return sql
    .exec<{ sealed: string }>(
      "SELECT sealed FROM idempotency_parts WHERE route = ? AND key = ? ORDER BY part",
      route,
      key,
    )
    .toArray()
    .map(({ sealed }) => sealed)
    .join("");
}

export function deleteRest(sql: SqlStorage, route: string, key: string): void {
  sql.exec("DELETE FROM idempotency_parts WHERE route = ? AND key = ?", route, key);
}
