import { MINUTE_MS } from "../../contract/durations.ts";
import { isTable } from "../../storage/tables.ts";
import { importedArchives, noteFormerArchives } from "../backup/archive-origin.ts";
import { fileNames, noteDeparted } from "../../storage/segments/archive/departed-files.ts";
import { runSegments } from "../runs/segments/segments.ts";
import { quoteName } from "../../domain/archive/lines.ts";

/** A move that does not get as far as the other region in this time is given up, and the org goes on here. */
const LONGEST_MS = 10 * MINUTE_MS;

export type Move = {
  readonly id: string;
  readonly toRegion: string;
  /** The archive that was made. Null: not yet. */
  readonly archive: string | null;
  /** Set once the other region may have the org: from then on, only that region can tell. */
  readonly attempt: string | null;
  /** 1: the files of archived runs were copied, and stay. */
  readonly isArchiveCopied: number;
  readonly frozenAt: number;
  readonly until: number;
};

export function moveUnderWay(sql: SqlStorage): Move | null {
  const [row] = sql
    .exec<Move>(
      `SELECT id, to_region AS toRegion, archive, attempt, is_archive_copied AS isArchiveCopied, frozen_at AS frozenAt, until
       FROM moving`,
    )
    .toArray();
  return row ?? null;
}

/**
 * A newer move takes the place of one that has not reached the other region. False if one that may have is under way.
 */
export function noteMove(
  sql: SqlStorage,
  { id, toRegion, isArchiveCopied }: { id: string; toRegion: string; isArchiveCopied: boolean },
  now: number,
): boolean {
  sql.exec("DELETE FROM moving WHERE attempt IS NULL");
  const noted = sql.exec(
    `INSERT INTO moving (only, id, to_region, is_archive_copied, frozen_at, until) VALUES (1, ?, ?, ?, ?, ?)
     ON CONFLICT (only) DO NOTHING RETURNING id`,
    id,
    toRegion,
    isArchiveCopied ? 1 : 0,
    now,
    now + LONGEST_MS,
  );
  return noted.toArray().length > 0;
}

export function noteArchive(sql: SqlStorage, id: string, archive: string): void {
  sql.exec("UPDATE moving SET archive = ? WHERE id = ? AND attempt IS NULL", archive, id);
}

/** False if the move was given up meanwhile, or another one has taken its place. */
export function noteAttempt(sql: SqlStorage, id: string, attempt: string): boolean {
  const noted = sql.exec(
    "UPDATE moving SET attempt = ? WHERE id = ? AND attempt IS NULL AND archive IS NOT NULL RETURNING id",
    attempt,
    id,
  );
  return noted.toArray().length > 0;
}

/** False if there is no such move, or it is not at the attempt that the caller has seen. */
export function forgetMove(sql: SqlStorage, id: string, attemptSeen: string | null): boolean {
  const forgotten = sql.exec(
    "DELETE FROM moving WHERE id = ? AND attempt IS ? RETURNING id",
    id,
    attemptSeen,
  );
  return forgotten.toArray().length > 0;
}

/** Where the org of this object went. Null: nowhere. */
export function readDestination(sql: SqlStorage): string | null {
  if (!isTable(sql, "moved")) return null;
  return sql.exec<{ region: string }>("SELECT region FROM moved").toArray()[0]?.region ?? null;
}

/** Everything that the org had goes, but where it went, and which files are to be deleted. Inside the caller's transaction. */
export function leaveBehind(sql: SqlStorage, { toRegion, isArchiveCopied }: Move): void {
  const files = isArchiveCopied === 1 ? [] : fileNames(runSegments(sql));
  const all = sql
    .exec<{ type: string; name: string }>(
      `SELECT type, name FROM sqlite_master WHERE type IN ('view', 'table') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
         AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' AND name <> 'left_files' ORDER BY type = 'table'`,
    )
    .toArray();
  const archives = importedArchives(sql);
  for (const { type, name } of all) sql.exec(`DROP ${type} ${quoteName(name)}`);
  sql.exec("CREATE TABLE moved (region TEXT NOT NULL) STRICT");
  sql.exec("INSERT INTO moved (region) VALUES (?)", toRegion);
  noteDeparted(sql, files);
  noteFormerArchives(sql, archives);
}
