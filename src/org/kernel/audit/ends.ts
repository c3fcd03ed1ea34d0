import { createHmac } from "node:crypto";
import { sameSecret } from "../../../domain/key/api-key.ts";
import { firstUnder } from "../../../domain/key/peppers.ts";
import { peppersOf } from "../../../settings.ts";
import type { View } from "../door.ts";
import { Table } from "../../../storage/table.ts";

declare module "../../../storage/table.ts" {
  interface LoggedTables {
    audit_ends: true;
  }
}

const TABLE = new Table({
  name: "audit_ends",
  columns: ["name", "seq", "hash", "mac"],
  key: ["name"],
  named: ["name"],
  changing: ["seq", "hash", "mac"],
});

/**
 * Where the trail starts and ends: `head` is the last entry written, `anchor` the last one that retention deleted. Both
 * are signed with the pepper, so that nobody who cuts or extends the rows can move them.
 */
export type EndName = "head" | "anchor";
export type End = { readonly seq: number; readonly hash: string };
type Row = { seq: number; hash: string; mac: string };
type AuditContext = Pick<View, "sql" | "orgId" | "settings">;

function macOf(pepper: string, orgId: string, name: EndName, end: End): string {
  return createHmac("sha256", pepper)
    .update(`audit:${orgId}:${name}:${end.seq}:${end.hash}`)
    .digest("base64url");
}

export function writeEnd(place: AuditContext, name: EndName, end: End): void {
  TABLE.put(place.sql, [
    [name, end.seq, end.hash, macOf(place.settings.SVC_KEY_PEPPER, place.orgId, name, end)],
  ]);
}

function readRow(sql: SqlStorage, name: EndName): Row | undefined {
  const changed = TABLE.get(sql, name);
  if (changed !== undefined && changed !== null) {
    const [, seq, hash, mac] = changed as readonly [string, number, string, string];
    return { seq, hash, mac };
  }
  return sql.exec<Row>("SELECT seq, hash, mac FROM audit_ends WHERE name = ?", name).toArray()[0];
}

/** The last entry that the service wrote. */
export function readHead(sql: SqlStorage): End | undefined {
  return readRow(sql, "head");
}

export function readEnd(
  place: AuditContext,
  name: EndName,
): (End & { readonly genuine: boolean }) | undefined {
  const row = readRow(place.sql, name);
  if (row === undefined) return undefined;
  return { seq: row.seq, hash: row.hash, genuine: signerOf(place, name) !== null };
}

/** The pepper that an end was signed with. Null if neither was, or there is none. */
export function signerOf(place: AuditContext, name: EndName): string | null {
  const row = readRow(place.sql, name);
  if (row === undefined) return null;
  return firstUnder(peppersOf(place.settings), (pepper) =>
    sameSecret(row.mac, macOf(pepper, place.orgId, name, row)) ? pepper : null,
  );
}
