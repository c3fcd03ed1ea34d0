import type { RunRanges } from "../run-segment/ranges.ts";
import { ByteReader } from "../run-segment/byte-reader.ts";
import { ByteWriter } from "../run-segment/byte-writer.ts";

/** What an object knows of one segment in an archive file, without reading the file. */
export interface ArchivedGroup extends RunRanges {
  readonly runs: number;
  /** The length of the segment. */
  readonly bytes: number;
  /** The length of the filter of its names. */
  readonly nameBytes: number;
  /** Of the segment. */
  readonly digest: Uint8Array;
}

export const DIGEST_BYTES = 16;

export function encodeGroups(groups: readonly ArchivedGroup[]): Uint8Array<ArrayBuffer> {
  const writer = new ByteWriter();
  writer.count(groups.length);
  for (const group of groups) {
    writer.count(group.runs);
    writer.count(group.bytes);
    writer.count(group.nameBytes);
    writer.signed(group.startedMin);
    writer.count(group.startedMax - group.startedMin);
    writer.signed(group.recordedMin);
    writer.count(group.recordedMax - group.recordedMin);
    writer.amount(group.costMin);
    writer.amount(group.costMax);
    for (const byte of group.digest) writer.byte(byte);
  }
  return writer.bytes;
}

export function decodeGroups(bytes: Uint8Array): ArchivedGroup[] {
  const reader = new ByteReader(bytes);
  const groups: ArchivedGroup[] = [];
  for (let left = reader.count(); left > 0; left -= 1) groups.push(readGroup(reader));
  return groups;
}

function readGroup(reader: ByteReader): ArchivedGroup {
  const runs = reader.count();
  const length = reader.count();
  const nameBytes = reader.count();
  const startedMin = reader.signed();
  const startedMax = startedMin + reader.count();
  const recordedMin = reader.signed();
  const recordedMax = recordedMin + reader.count();
  const costMin = reader.amount();
  const costMax = reader.amount();
  const digest = reader.part(DIGEST_BYTES);
  return {
    runs,
    bytes: length,
    nameBytes,
    startedMin,
    startedMax,
    recordedMin,
    recordedMax,
    costMin,
    costMax,
    digest,
  };
}
