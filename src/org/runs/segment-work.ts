import { archiveOf } from "../../storage/segments/archive-binding.ts";
import { archiveFile, deleteGone, nextFile } from "../../storage/segments/archive/archive.ts";
import { hasFilesToEnd } from "../../storage/segments/archive/files.ts";
import { isAnyOld, KEPT_MS } from "../../storage/segments/archive/select.ts";
import { rollUpOld, rollUpSome } from "../../storage/segments/rollups/make.ts";
import { nextToRollUp } from "../../storage/segments/rollups/next.ts";
import { transaction } from "../../storage/transaction.ts";
import type { Tx } from "../kernel/door.ts";
import { DUE } from "../kernel/due-kinds.ts";
import type { DueHandler } from "../kernel/due/handler.ts";
import { scheduleDue } from "../kernel/due/table.ts";
import { runSegments } from "./segments/segments.ts";

/** Files of one round. The rest is done in the next. */
const FILES = 16;

/** Moves old runs to the archive, and deletes files that are no longer needed. */
export const archiveRuns: DueHandler = {
  kind: "work",
  async run(context) {
    const { storage } = context;
    const segments = runSegments(storage.sql);
    const work = () => ({ storage, segments, now: context.view().now });
    if (archiveOf(storage.sql).bucket !== null) await rollUpOld(work(), context.view().now - KEPT_MS);
    for (let file = 0; file < FILES; file += 1) if (!(await archiveFile(work()))) break;
    await deleteGone(work());
    const { sql, now } = context.view();
    const isMore = nextFile(work()) !== null;
    transaction(storage, () => scheduleDue(sql, DUE.runArchive, "", isMore ? now : null));
  },
};

/** Archives what is old enough, if there is anything. */
export function scheduleArchive(tx: Tx): void {
  if (archiveOf(tx.sql).bucket === null) return;
  const segments = runSegments(tx.sql);
  if (isAnyOld(segments, tx.now) || hasFilesToEnd(segments)) tx.schedule(DUE.runArchive, "", tx.now);
}

/** Adds up stored runs, so that reports need not read each of them. */
export const rollUpRuns: DueHandler = {
  kind: "work",
  async run(context) {
    const { storage } = context;
    const segments = runSegments(storage.sql);
    await rollUpSome({ storage, segments });
    const { sql, now } = context.view();
    const isMore = nextToRollUp(segments).length > 0;
    transaction(storage, () => scheduleDue(sql, DUE.runDigests, "", isMore ? now : null));
  },
};

/** Adds up stored runs once there are enough of them. */
export function scheduleRollups(tx: Tx): void {
  if (nextToRollUp(runSegments(tx.sql)).length === 0) return;
  const [row] = tx.sql.exec("SELECT 1 FROM due WHERE kind = ? AND key = ''", DUE.runDigests).toArray();
  if (row === undefined) tx.schedule(DUE.runDigests, "", tx.now);
}
