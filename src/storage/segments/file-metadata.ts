import { ByteReader } from "../../domain/bytes/byte-reader.ts";
import { ByteWriter } from "../../domain/bytes/byte-writer.ts";
import type { ZoneMap } from "./zone-map.ts";

/** The facts about one segment in an archive file that an object knows without reading the file. */
export interface FileSegment extends ZoneMap {
  readonly rows: number;
  /** The length of the segment. */
  readonly bytes: number;
  /** The length of the filter of its names. */
  readonly nameBytes: number;
  /** The digest of the segment. */
  readonly digest: Uint8Array;
}

export const DIGEST_BYTES = 16;

export function encodeFileSegments(segments: readonly FileSegment[]): Uint8Array<ArrayBuffer> {
  const writer = new ByteWriter();
  writer.count(segments.length);
  for (const segment of segments) {
    writer.count(segment.rows);
    writer.count(segment.bytes);
    writer.count(segment.nameBytes);
    writer.signed(segment.startedMin);
    writer.count(segment.startedMax - segment.startedMin);
    writer.signed(segment.recordedMin);
    writer.count(segment.recordedMax - segment.recordedMin);
    writer.amount(segment.costMin);
    writer.amount(segment.costMax);
    writer.append(segment.digest);
  }
  return writer.bytes;
}

/** Calls back for each segment, in order: an object that wakes does this for every one that is archived. */
export function eachFileSegment(data: Uint8Array, add: (segment: FileSegment) => void): void {
  const reader = new ByteReader(data);
  for (let left = reader.count(); left > 0; left -= 1) {
    const rows = reader.count();
    const bytes = reader.count();
    const nameBytes = reader.count();
    const startedMin = reader.signed();
    const startedMax = startedMin + reader.count();
    const recordedMin = reader.signed();
    const recordedMax = recordedMin + reader.count();
    const costMin = reader.amount();
    const costMax = reader.amount();
    const digest = reader.part(DIGEST_BYTES);
    const zones = { startedMin, startedMax, recordedMin, recordedMax, costMin, costMax };
    add({ rows, bytes, nameBytes, digest, ...zones });
  }
}
