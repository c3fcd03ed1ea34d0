import { joinedBytes } from "../../../domain/bytes/joined-bytes.ts";
import { hashIds } from "../archived-ids.ts";
import { digestOf } from "../fetch.ts";
import type { NewFileSegment } from "../file-segments.ts";
import { isAlike, type LocalSegment } from "../metadata.ts";
import type { Segments } from "../segments.ts";
import { readPart } from "../table.ts";

interface Built {
  readonly file: Uint8Array<ArrayBuffer>;
  readonly segments: readonly NewFileSegment[];
}

/**
 * Makes a file of segments: their bytes as they are stored, one after the other. Other calls are served between its steps. Null if the
 * segments have changed meanwhile.
 */
export async function buildFile(segments: Segments, wanted: readonly LocalSegment[]): Promise<Built | null> {
  const parts: Uint8Array[] = [];
  const made: NewFileSegment[] = [];
  let offset = 0;
  for (const segment of wanted) {
    if (!isAlike(segment, segments.with(segment.firstSeq))) return null;
    const data = segments.bytesOf(segment);
    const { state: _state, ...facts } = segment;
    made.push({
      segment: { ...facts, offset, digest: digestOf(data) },
      names: readPart(segments, "names", segment.firstSeq).buffer,
      hashes: hashIds(segments.decode(data).ids, segments.hashKey),
    });
    parts.push(data);
    offset += data.length;
    await scheduler.wait(0);
  }
  return { file: joinedBytes(parts), segments: made };
}
