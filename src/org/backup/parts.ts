import { type Refusal, refuse } from "../../contract/refusal.ts";

/** The parts of the archive that is being read: rows of `backup_frames`, beside one that says which archive it is. */
const OPENED = -1;

/** A newer archive takes the place of an older one. */
export function noteOpened(sql: SqlStorage, archiveId: string): void {
  sql.exec("DELETE FROM backup_frames");
  storePart(sql, archiveId, OPENED, new Uint8Array());
}

export function isOpenedAs(sql: SqlStorage, archiveId: string): boolean {
  return partOf(sql, archiveId, OPENED) !== null;
}

/** Returns whether an archive of this org is being read. */
export function isBeingRead(sql: SqlStorage): boolean {
  return sql.exec("SELECT 1 FROM backup_frames LIMIT 1").toArray().length > 0;
}

export function storePart(sql: SqlStorage, archiveId: string, n: number, part: Uint8Array): void {
  sql.exec("INSERT INTO backup_frames (n, archive, frame) VALUES (?, ?, ?)", n, archiveId, part);
}

export function partOf(sql: SqlStorage, archiveId: string, n: number): Uint8Array | null {
  const [row] = sql
    .exec<{ frame: ArrayBuffer }>("SELECT frame FROM backup_frames WHERE n = ? AND archive = ?", n, archiveId)
    .toArray();
  return row === undefined ? null : new Uint8Array(row.frame);
}

export function dropOpened(sql: SqlStorage, archiveId: string): void {
  sql.exec("DELETE FROM backup_frames WHERE archive = ?", archiveId);
}

export function refuseReplaced(): Refusal<"conflict"> {
  return refuse("conflict", {}, { message: "A newer backup has replaced this one." });
}
