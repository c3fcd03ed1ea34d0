import { DUE } from "../../kernel/due-kinds.ts";
import type { Tx } from "../../kernel/door.ts";
import { archiveOf } from "../segments/archive-binding.ts";
import { hasFilesToEnd } from "./files.ts";
import { isAnyOld } from "./select.ts";

/** Archives what is old enough, if there is anything. */
export function scheduleArchive(tx: Tx): void {
  if (archiveOf(tx.sql).bucket === null) return;
  if (isAnyOld(tx.sql, tx.now) || hasFilesToEnd(tx.sql)) tx.schedule(DUE.runArchive, "", tx.now);
}
