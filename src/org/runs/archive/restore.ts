import { DUE } from "../../kernel/due-kinds.ts";
import type { Tx } from "../../kernel/door.ts";
import { needArchived } from "../segments/archived.ts";
import { runSegments } from "../segments/segments.ts";
import type { SegmentMetadata } from "../segments/metadata.ts";
import { readFileIndex } from "../segments/files.ts";
import { writeSegment } from "../segments/table.ts";
import { giveUpFile } from "./files.ts";

/** Stores the segments of a file in the object again, as they were. The file is deleted after that. */
export function restoreFile(tx: Tx, { place }: SegmentMetadata): void {
  if (place === undefined) throw new Error("only archived segments are restored");
  const { file } = place;
  const store = runSegments(tx.sql);
  const archived = store.segments.filter((segment) => segment.place?.file.firstSeq === file.firstSeq);
  needArchived(tx.sql, archived);
  const { names } = readFileIndex(tx.sql, file);
  const restored = archived.map((segment) => {
    const { place: from, ...known } = segment;
    const here: SegmentMetadata = { ...known, state: "runs" };
    const { offset, bytes } = from?.names ?? { offset: 0, bytes: 0 };
    writeSegment(tx.sql, here, names.slice(offset, offset + bytes).buffer, store.bytesOf(segment));
    return here;
  });
  store.moved(archived, restored);
  giveUpFile(tx.sql, file.firstSeq);
  tx.schedule(DUE.runArchive, "", tx.now);
}
