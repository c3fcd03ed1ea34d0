import { createHmac } from "node:crypto";
import type { View } from "../door.ts";

/**
 * Where the trail starts and ends: `head` is the last entry written, `anchor` the last one that retention deleted. Both
 * are signed with the pepper, so that nobody who cuts or extends the rows can move them.
 */
export type EndName = "head" | "anchor";
export type End = { readonly seq: number; readonly hash: string };
type Row = { seq: number; hash: string; mac: string };
type Place = Pick<View, "sql" | "orgId" | "settings">;

function macOf(place: Place, name: EndName, end: End): string {
  return createHmac("sha256", place.settings.SVC_KEY_PEPPER)
    .update(`audit:${place.orgId}:${name}:${end.seq}:${end.hash}`)
    .digest("base64url");
}

export function writeEnd(place: Place, name: EndName, end: End): void {
  place.sql.exec(
    `INSERT INTO audit_ends (name, seq, hash, mac) VALUES (?, ?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, mac = excluded.mac`,
    name,
    end.seq,
    end.hash,
    macOf(place, name, end),
  );
}

export function readEnd(place: Place, name: EndName): (End & { readonly genuine: boolean }) | undefined {
  const row = place.sql.exec<Row>("SELECT seq, hash, mac FROM audit_ends WHERE name = ?", name).toArray()[0];
  if (row === undefined) return undefined;
  return { seq: row.seq, hash: row.hash, genuine: row.mac === macOf(place, name, row) };
}
