import { transaction } from "../../transaction.ts";
import { type Archive, archiveOf } from "../archive-binding.ts";
import { type NewFileSegment, writeFileSegment } from "../file-segments.ts";
import { readFile } from "../files.ts";
import { isAlike, lastSeqOf, type LocalSegment, STATE } from "../metadata.ts";
import type { Segments } from "../segments.ts";
import { deleteSegments } from "../table.ts";
import { buildFile } from "./build.ts";
import { deleteDeparted } from "./departed-files.ts";
import {
  beginFile,
  endFile,
  type FileName,
  filesIn,
  forgetFile,
  giveUpFile,
  nameOf,
  noteArchived,
} from "./files.ts";
import { FILE_SIZE, type FileSize, nextSegments } from "./select.ts";

/** Names that the platform deletes at once. */
const DELETED_AT_ONCE = 1000;

/** When and where segments are archived. */
export interface ArchiveWork {
  readonly storage: DurableObjectStorage;
  readonly segments: Segments;
  readonly now: number;
}

interface NextFile {
  readonly name: FileName;
  readonly segments: readonly LocalSegment[];
}

/**
 * One file: first a row that names it, then the file, then, in one transaction, what is known of its segments, and the end of
 * those here. Wherever this stops, the rows are in one place for every reader, and the next attempt writes the same name.
 * False if there is none to make.
 */
export async function archiveFile(work: ArchiveWork, size: FileSize = FILE_SIZE): Promise<boolean> {
  const { storage, segments } = work;
  const { bucket } = archiveOf(storage.sql);
  const next = bucket === null ? null : nextFile(work, size);
  if (bucket === null || next === null) return false;
  const built = await buildFile(segments, next.segments);
  if (built === null) return true;
  await put(archiveOf(storage.sql), next.name.name, built.file);
  transaction(storage, () => commit(segments, next, built.segments));
  return true;
}

/** Work that fails is tried again, so whoever runs the service must hear of it from here. */
async function put({ bucket, failed }: Archive, name: string, file: Uint8Array<ArrayBuffer>): Promise<void> {
  try {
    await bucket?.put(name, file);
  } catch (error) {
    failed?.({ reason: "not_written", file: name, why: String(error) });
    throw error;
  }
}

/** The file that was begun, if its segments are still as they were. Otherwise another one. */
export function nextFile({ storage, segments, now }: ArchiveWork, size = FILE_SIZE): NextFile | null {
  const [begun] = filesIn(segments, "making");
  if (begun !== undefined) {
    const there = segmentsOf(segments, begun);
    if (there !== null) return { name: begun, segments: there };
    transaction(storage, () => giveUpFile(segments, begun.firstSeq));
  }
  const next = nextSegments(segments, now, size);
  const [first, last] = [next[0], next.at(-1)];
  if (first === undefined || last === undefined || isTaken(segments, first.firstSeq)) return null;
  const seqs = [first.firstSeq, lastSeqOf(last)] as const;
  const name = {
    firstSeq: seqs[0],
    rows: seqs[1] - seqs[0] + 1,
    name: nameOf(segments, archiveOf(storage.sql).prefix, seqs),
  };
  transaction(storage, () => beginFile(segments, name));
  return { name, segments: next };
}

/** A file that begins with the same row is still to be deleted. */
function isTaken(segments: Segments, firstSeq: number): boolean {
  return filesIn(segments, "gone").some((file) => file.firstSeq === firstSeq);
}

/** The segments that are exactly the rows of a file. Null if some are gone, or others. */
function segmentsOf(segments: Segments, { firstSeq, rows }: FileName): readonly LocalSegment[] | null {
  const ranges = segments.list.ranges.filter(
    (range) => range.firstSeq >= firstSeq && lastSeqOf(range) < firstSeq + rows,
  );
  const found = ranges.filter((range) => range.state !== STATE.archived);
  const isWhole = found.reduce((sum, segment) => sum + segment.rows, 0) === rows;
  return isWhole && found.every(({ state }) => state === STATE.rows) ? found : null;
}

function commit(
  segments: Segments,
  { name, segments: expected }: NextFile,
  made: readonly NewFileSegment[],
): void {
  const now = segmentsOf(segments, name);
  const isSame =
    now?.length === expected.length && now.every((segment, at) => isAlike(segment, expected[at]));
  // Retention took some of them meanwhile. The file is given up in the next round.
  if (!isSame) return;
  const lastSeq = lastSeqOf(name);
  for (const segment of made) writeFileSegment(segments, segment);
  endFile(segments, name.firstSeq, now);
  noteArchived(segments, lastSeq);
  deleteSegments(segments, name.firstSeq, lastSeq);
  segments.replace(now, readFile(segments, name.firstSeq));
}

/** Deletes files whose rows are here again or gone. The row that names a file goes after it. */
export async function deleteGone({
  storage,
  segments,
}: Pick<ArchiveWork, "storage" | "segments">): Promise<void> {
  await deleteDeparted(storage.sql);
  const { bucket } = archiveOf(storage.sql);
  const gone = filesIn(segments, "gone").slice(0, DELETED_AT_ONCE);
  if (bucket === null || gone.length === 0) return;
  await bucket.delete(gone.map(({ name }) => name));
  transaction(storage, () => {
    for (const { firstSeq } of gone) forgetFile(segments, firstSeq);
  });
}
