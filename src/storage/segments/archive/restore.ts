import { requireArchived } from "../archived-segments.ts";
import { archivedFilter, readFileIndex } from "../file-index.ts";
import { type SegmentMetadata, STATE } from "../metadata.ts";
import type { Segments } from "../segments.ts";
import { writeSegment } from "../table.ts";
import { giveUpFile } from "./files.ts";

/** Stores the segments of a file in the object again, as they were. The file is deleted after that. */
export function restoreFile(segments: Segments, { place }: SegmentMetadata): void {
  if (place === undefined) throw new Error("only archived segments are restored");
  const { file } = place;
  const archived = segments.all.filter((segment) => segment.place?.file.firstSeq === file.firstSeq);
  requireArchived(segments, archived);
  const index = readFileIndex(segments, file);
  const restored = archived.map((segment) => {
    const { place: _, ...known } = segment;
    const here: SegmentMetadata = { ...known, state: STATE.rows };
    writeSegment(segments, here, archivedFilter(index, segment), segments.bytesOf(segment));
    return here;
  });
  segments.replace(archived, restored);
  giveUpFile(segments, file.firstSeq);
}
