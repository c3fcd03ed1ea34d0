import { DUE } from "../../kernel/due-kinds.ts";
import { transaction } from "../../../storage/transaction.ts";
import type { DueContext, DueHandler } from "../../kernel/due/handler.ts";
import { scheduleDue } from "../../kernel/due/table.ts";
import { archiveOf } from "../segments/archive-binding.ts";
import { runSegments } from "../segments/segments.ts";
import { type SegmentMetadata, isAlike, lastSeqOf } from "../segments/metadata.ts";
import { readSegmentsOf } from "../segments/files.ts";
import { deleteSegments } from "../segments/table.ts";
import { rollUpOld } from "../rollups/work.ts";
import { buildFile } from "./build.ts";
import {
  beginFile,
  endFile,
  type FileName,
  filesIn,
  forgetFile,
  giveUpFile,
  type MadeFile,
  nameOf,
  noteArchived,
} from "./files.ts";
import { deleteLeft } from "./left.ts";
import { FILE_SIZE, type FileSize, KEPT_MS, nextSegments } from "./select.ts";

/** Files of one round. What is left goes on in the next. */
const FILES = 16;
/** Names that the platform deletes at once. */
const DELETED_AT_ONCE = 1000;

/** Moves old runs to the archive, and deletes files that are no longer needed. */
export const archiveRuns: DueHandler = {
  kind: "work",
  async run(context) {
    if (archiveOf(context.storage.sql).bucket !== null)
      await rollUpOld(context, context.view().now - KEPT_MS);
    for (let file = 0; file < FILES; file += 1) if (!(await archiveFile(context))) break;
    await deleteGone(context);
    const { sql, now } = context.view();
    const isMore = nextFile(context.storage, now, FILE_SIZE, archiveOf(sql).orgId) !== null;
    transaction(context.storage, () => scheduleDue(sql, DUE.runArchive, "", isMore ? now : null));
  },
};

type Context = Pick<DueContext, "storage" | "view">;

interface NextFile {
  readonly name: FileName;
  readonly segments: readonly SegmentMetadata[];
}

/**
 * One file: first a row that names it, then the file, then, in one transaction, its ranges in that row and the end of its
 * segments here. Wherever this stops, the runs are in one place for every reader, and the next attempt writes the same name.
 * False if there is none to make.
 */
export async function archiveFile({ storage, view }: Context, size: FileSize = FILE_SIZE): Promise<boolean> {
  const { sql, now } = view();
  const { bucket, orgId } = archiveOf(sql);
  if (bucket === null) return false;
  const next = nextFile(storage, now, size, orgId);
  if (next === null) return false;
  const built = await buildFile(sql, next.name, next.segments);
  if (built === null) return true;
  await bucket.put(next.name.name, built.file);
  transaction(storage, () => commit(sql, built.made, next.segments));
  return true;
}

/** The file that was begun, if its segments are still as they were. Otherwise another one. */
function nextFile(
  storage: DurableObjectStorage,
  now: number,
  size: FileSize,
  orgId: string,
): NextFile | null {
  const { sql } = storage;
  const [begun] = filesIn(sql, "making");
  if (begun !== undefined) {
    const segments = segmentsOf(sql, begun);
    if (segments !== null) return { name: begun, segments };
    transaction(storage, () => giveUpFile(sql, begun.firstSeq));
  }
  const segments = nextSegments(sql, now, size);
  const [first, last] = [segments[0], segments.at(-1)];
  if (first === undefined || last === undefined || isTaken(sql, first.firstSeq)) return null;
  const { firstSeq } = first;
  const name = {
    firstSeq,
    runs: lastSeqOf(last) - firstSeq + 1,
    name: nameOf(sql, orgId, firstSeq, lastSeqOf(last)),
  };
  transaction(storage, () => beginFile(sql, name));
  return { name, segments };
}

/** A file that begins with the same run is still to be deleted. */
function isTaken(sql: SqlStorage, firstSeq: number): boolean {
  return filesIn(sql, "gone").some((file) => file.firstSeq === firstSeq);
}

/** The segments that are exactly the runs of a file. Null if some are gone, or others. */
function segmentsOf(sql: SqlStorage, { firstSeq, runs }: FileName): readonly SegmentMetadata[] | null {
  const segments = runSegments(sql).segments.filter(
    (segment) => segment.firstSeq >= firstSeq && lastSeqOf(segment) < firstSeq + runs,
  );
  const isWhole = segments.reduce((sum, segment) => sum + segment.runs, 0) === runs;
  return isWhole && segments.every(({ state }) => state === "runs") ? segments : null;
}

function commit(sql: SqlStorage, made: MadeFile, segments: readonly SegmentMetadata[]): void {
  const now = segmentsOf(sql, made);
  const isSame =
    now?.length === segments.length && now.every((segment, at) => isAlike(segment, segments[at]));
  // Retention took some of them meanwhile. The file is given up in the next round.
  if (!isSame) return;
  const lastSeq = made.firstSeq + made.runs - 1;
  endFile(sql, made, now);
  noteArchived(sql, lastSeq);
  deleteSegments(sql, made.firstSeq, lastSeq);
  runSegments(sql).moved(now, readSegmentsOf(sql, made.firstSeq));
}

/** Deletes files whose runs are here again or gone. The row that names a file goes after it. */
export async function deleteGone({ storage, view }: Context): Promise<void> {
  const { sql } = view();
  await deleteLeft(sql);
  const { bucket } = archiveOf(sql);
  const gone = filesIn(sql, "gone").slice(0, DELETED_AT_ONCE);
  if (bucket === null || gone.length === 0) return;
  await bucket.delete(gone.map(({ name }) => name));
  transaction(storage, () => {
    for (const { firstSeq } of gone) forgetFile(sql, firstSeq);
  });
}
