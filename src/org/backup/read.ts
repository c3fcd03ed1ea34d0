import { query } from "../kernel/door.ts";
import { rowLine } from "../../domain/archive/lines.ts";
import { readCarriedAfter, checkArchivedAfter } from "../../storage/segments/archive/export.ts";
import { runSegments } from "../runs/segments/segments.ts";
import { isOpenedAs, partOf, refuseReplaced } from "./parts.ts";

/** One part of the tables, as base64. */
export const backupPart = query({
  refuses: ["conflict"],
  run({ sql }, { archiveId, n }: { archiveId: string; n: number }) {
    const part = partOf(sql, archiveId, n);
    return part === null ? refuseReplaced() : { part: Buffer.from(part).toString("base64") };
  },
});

/** Archived runs after a number, as lines. */
export const backupRuns = query({
  refuses: ["conflict"],
  run({ sql }, { archiveId, after }: { archiveId: string; after: number }) {
    if (!isOpenedAs(sql, archiveId)) return refuseReplaced();
    const { rows, last } = readCarriedAfter(runSegments(sql), after);
    return { lines: rows.map(rowLine).join(""), last };
  },
});

/** Checks whether files of archived runs can be read. A caller that has begun to answer could not say so any more. */
export const checkBackup = query({
  refuses: ["conflict"],
  run({ sql }, { archiveId, after }: { archiveId: string; after: number }) {
    return isOpenedAs(sql, archiveId)
      ? { last: checkArchivedAfter(runSegments(sql), after) }
      : refuseReplaced();
  },
});
