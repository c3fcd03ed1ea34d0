import { DUE } from "../../kernel/due-kinds.ts";
import { transaction } from "../../../storage/transaction.ts";
import type { DueContext, DueHandler } from "../../kernel/due/handler.ts";
import { scheduleDue } from "../../kernel/due/table.ts";
import { archiveOf } from "../blocks/archive-binding.ts";
import { runBlocks } from "../blocks/blocks.ts";
import { type BlockEntry, isAlike, lastSeqOf } from "../blocks/entry.ts";
import { readEntriesOf } from "../blocks/files.ts";
import { deleteBlocks } from "../blocks/table.ts";
import { digestOld } from "../digests/work.ts";
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
import { FILE_SIZE, type FileSize, KEPT_MS, nextBlocks } from "./select.ts";

/** Files of one round. What is left goes on in the next. */
const FILES = 16;
/** Names that the platform deletes at once. */
const DELETED_AT_ONCE = 1000;

/** Moves old runs to the archive, and deletes files that are no longer needed. */
export const archiveRuns: DueHandler = {
  kind: "work",
  async run(context) {
    if (archiveOf(context.storage.sql).bucket !== null)
      await digestOld(context, context.view().now - KEPT_MS);
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
  readonly entries: readonly BlockEntry[];
}

/**
 * One file: first a row that names it, then the file, then, in one transaction, its ranges in that row and the end of its
 * blocks here. Wherever this stops, the runs are in one place for every reader, and the next attempt writes the same name.
 * False if there is none to make.
 */
export async function archiveFile({ storage, view }: Context, size: FileSize = FILE_SIZE): Promise<boolean> {
  const { sql, now } = view();
  const { bucket, orgId } = archiveOf(sql);
  if (bucket === null) return false;
  const next = nextFile(storage, now, size, orgId);
  if (next === null) return false;
  const built = await buildFile(sql, next.name, next.entries);
  if (built === null) return true;
  await bucket.put(next.name.name, built.file);
  transaction(storage, () => commit(sql, built.made, next.entries));
  return true;
}

/** The file that was begun, if its blocks are still as they were. Otherwise another one. */
function nextFile(
  storage: DurableObjectStorage,
  now: number,
  size: FileSize,
  orgId: string,
): NextFile | null {
  const { sql } = storage;
  const [begun] = filesIn(sql, "making");
  if (begun !== undefined) {
    const entries = blocksOf(sql, begun);
    if (entries !== null) return { name: begun, entries };
    transaction(storage, () => giveUpFile(sql, begun.firstSeq));
  }
  const entries = nextBlocks(sql, now, size);
  const [first, last] = [entries[0], entries.at(-1)];
  if (first === undefined || last === undefined || isTaken(sql, first.firstSeq)) return null;
  const { firstSeq } = first;
  const name = {
    firstSeq,
    runs: lastSeqOf(last) - firstSeq + 1,
    name: nameOf(sql, orgId, firstSeq, lastSeqOf(last)),
  };
  transaction(storage, () => beginFile(sql, name));
  return { name, entries };
}

/** A file that begins with the same run is still to be deleted. */
function isTaken(sql: SqlStorage, firstSeq: number): boolean {
  return filesIn(sql, "gone").some((file) => file.firstSeq === firstSeq);
}

/** The blocks that are exactly the runs of a file. Null if some are gone, or others. */
function blocksOf(sql: SqlStorage, { firstSeq, runs }: FileName): readonly BlockEntry[] | null {
  const entries = runBlocks(sql).entries.filter(
    (entry) => entry.firstSeq >= firstSeq && lastSeqOf(entry) < firstSeq + runs,
  );
  const isWhole = entries.reduce((sum, entry) => sum + entry.runs, 0) === runs;
  return isWhole && entries.every(({ state }) => state === "runs") ? entries : null;
}

function commit(sql: SqlStorage, made: MadeFile, entries: readonly BlockEntry[]): void {
  const now = blocksOf(sql, made);
  const isSame = now?.length === entries.length && now.every((entry, at) => isAlike(entry, entries[at]));
  // Retention took some of them meanwhile. The file is given up in the next round.
  if (!isSame) return;
  const lastSeq = made.firstSeq + made.runs - 1;
  endFile(sql, made, now);
  noteArchived(sql, lastSeq);
  deleteBlocks(sql, made.firstSeq, lastSeq);
  runBlocks(sql).moved(now, readEntriesOf(sql, made.firstSeq));
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
