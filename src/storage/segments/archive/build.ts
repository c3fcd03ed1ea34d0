import { joinedBytes } from "../../../domain/bytes/joined-bytes.ts";
import { keyHashOf } from "../../key-index/key-hash.ts";
import { secondHashOf } from "../../key-index/second-hash.ts";
import { digestOf } from "../fetch.ts";
import { storedHashes } from "../file-index.ts";
import { encodeFileSegments, type FileSegment } from "../file-metadata.ts";
import { isAlike, type SegmentMetadata, segmentWith } from "../metadata.ts";
import type { Segments } from "../segments.ts";
import { readPart } from "../table.ts";
import type { FileName, ArchiveFileFacts } from "./files.ts";

interface Built {
  readonly made: ArchiveFileFacts;
  readonly file: Uint8Array<ArrayBuffer>;
}

/** A segment, as it was when the file was begun. */
interface StoredSegment {
  readonly segment: SegmentMetadata;
  readonly data: Uint8Array<ArrayBuffer>;
  readonly names: Uint8Array;
}

/** Makes a file of segments. Other calls are served between its steps. Null if the segments have changed meanwhile. */
export async function buildFile(
  segments: Segments,
  name: FileName,
  wanted: readonly SegmentMetadata[],
): Promise<Built | null> {
  const file = await segments.layout.archiveFile();
  const read: StoredSegment[] = [];
  for (const segment of wanted) {
    if (!isAlike(segment, segmentWith(segments.all, segment.firstSeq))) return null;
    const data = segments.bytesOf(segment);
    file.add(data);
    read.push({ segment, data, names: readPart(segments, "names", segment.firstSeq) });
    await scheduler.wait(0);
  }
  const steps = file.parts(name.firstSeq);
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) await scheduler.wait(0);
  const { bytes, segmentsAt } = step.value;
  const described: FileSegment[] = [];
  const ids: string[] = [];
  for (const { segment, data, names } of read) {
    await scheduler.wait(0);
    described.push({ ...segment, nameBytes: names.length, digest: digestOf(data) });
    ids.push(...segments.decode(data).ids);
  }
  await scheduler.wait(0);
  const key = segments.hashKey;
  const made: ArchiveFileFacts = {
    ...name,
    bytes: bytes.length,
    segmentsAt,
    ...file.sums,
    segments: encodeFileSegments(described),
    names: joinedBytes(read.map(({ names }) => names)),
    ids: storedHashes(
      Uint32Array.from(ids, (id) => keyHashOf(id, key)),
      Uint16Array.from(ids, (id) => secondHashOf(id, key)),
    ),
  };
  return { made, file: bytes };
}
