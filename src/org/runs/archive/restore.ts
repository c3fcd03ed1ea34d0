import { DUE } from "../../kernel/due-kinds.ts";
import type { Tx } from "../../kernel/door.ts";
import { needArchived } from "../blocks/archived.ts";
import { runBlocks } from "../blocks/blocks.ts";
import type { BlockEntry } from "../blocks/entry.ts";
import { readFileIndex } from "../blocks/files.ts";
import { writeBlock } from "../blocks/table.ts";
import { giveUpFile } from "./files.ts";

/** Stores the blocks of a file in the object again, as they were. The file is deleted after that. */
export function restoreFile(tx: Tx, { place }: BlockEntry): void {
  if (place === undefined) throw new Error("only archived blocks are restored");
  const { file } = place;
  const blocks = runBlocks(tx.sql);
  const archived = blocks.entries.filter((entry) => entry.place?.file.firstSeq === file.firstSeq);
  needArchived(tx.sql, archived);
  const { names } = readFileIndex(tx.sql, file);
  const restored = archived.map((entry) => {
    const { place: from, ...known } = entry;
    const here: BlockEntry = { ...known, state: "runs" };
    const { offset, bytes } = from?.names ?? { offset: 0, bytes: 0 };
    writeBlock(tx.sql, here, names.slice(offset, offset + bytes).buffer, blocks.bytesOf(entry));
    return here;
  });
  blocks.moved(archived, restored);
  giveUpFile(tx.sql, file.firstSeq);
  tx.schedule(DUE.runArchive, "", tx.now);
}
