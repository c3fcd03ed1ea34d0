import { DUE } from "../../kernel/due-kinds.ts";
import type { DueHandler } from "../../kernel/due/handler.ts";
import { runBlocks } from "./blocks.ts";

/** Packs runs that an earlier version stored as rows, a part at a time, so that other calls are served in between. */
export const packRuns: DueHandler = {
  kind: "change",
  run(tx) {
    const blocks = runBlocks(tx.sql);
    blocks.packOldest();
    tx.schedule(DUE.runPacking, "", blocks.hasUnpacked ? tx.now : null);
  },
};
