import { requireArchived } from "../archived-segments.ts";
import { archivedFilter, deleteFileSegments } from "../file-segments.ts";
import { lastSeqOf, type LocalSegment, STATE } from "../metadata.ts";
import type { Segments } from "../segments.ts";
import { writeSegment } from "../table.ts";
import { giveUpFile } from "./files.ts";

/** Stores the segments of the file with a row in the object again, as they were. The file is deleted after that. */
export function restoreFile(segments: Segments, seq: number): void {
  const file = segments.list.rangeWith(seq);
  if (file?.state !== STATE.archived) throw new Error(`row ${seq} of ${segments.name} is in no file`);
  const archived = segments.list.segmentsOf(file);
  requireArchived(segments, archived);
  const restored = archived.map((segment) => {
    const { file: _file, offset: _offset, digest: _digest, ...facts } = segment;
    const here: LocalSegment = { ...facts, state: STATE.rows };
    writeSegment(segments, here, archivedFilter(segments, segment), segments.bytesOf(segment));
    return here;
  });
  segments.replace([file], restored);
  deleteFileSegments(segments, file.firstSeq, lastSeqOf(file));
  giveUpFile(segments, file.firstSeq);
}
