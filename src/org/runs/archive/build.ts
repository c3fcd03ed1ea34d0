import { joinedBytes } from "../../../domain/joined-bytes.ts";
import { secondHashOf } from "../../../storage/key-index/second-hash.ts";
import { type HashKey, keyHashOf } from "../../../storage/key-index/key-hash.ts";
import { type ArchivedGroup, encodeGroups } from "../../../domain/run-archive/groups.ts";
import { RunColumns } from "../../../domain/run-segment/columns.ts";
import { runSegments } from "../segments/segments.ts";
import { type SegmentMetadata, segmentWith, isAlike } from "../segments/metadata.ts";
import { digestOf } from "../segments/fetch.ts";
import { idsOf } from "../segments/files.ts";
import { namesOf } from "../segments/table.ts";
import { idKey } from "../ids/key.ts";
import type { FileName, MadeFile } from "./files.ts";

interface Built {
  readonly made: MadeFile;
  readonly file: Uint8Array<ArrayBuffer>;
}

/** A segment, as it was when the file was begun. */
interface Read {
  readonly segment: SegmentMetadata;
  readonly data: Uint8Array<ArrayBuffer>;
  readonly names: Uint8Array;
}

/** By which the ids of a segment are found. */
interface Hashes {
  readonly numbers: readonly number[];
  readonly marks: readonly number[];
}

/** Makes a file of segments. Other calls are served between its steps. Null if the segments have changed meanwhile. */
export async function buildFile(
  sql: SqlStorage,
  name: FileName,
  segments: readonly SegmentMetadata[],
): Promise<Built | null> {
  // Loaded when it is first needed: few calls wait for it, and every start would.
  const { ArchiveFile } = await import("../../../domain/runs-parquet/archive-file.ts");
  const file = new ArchiveFile();
  const read: Read[] = [];
  for (const segment of segments) {
    const there = segmentWith(runSegments(sql).segments, segment.firstSeq);
    if (!isAlike(segment, there)) return null;
    const data = runSegments(sql).bytesOf(segment);
    const names = namesOf(sql, segment.firstSeq);
    file.add(data);
    read.push({ segment, data, names });
    await scheduler.wait(0);
  }
  const steps = file.parts(name.firstSeq);
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) await scheduler.wait(0);
  const { bytes, blocksAt } = step.value;
  const key = idKey(sql);
  const groups: ArchivedGroup[] = [];
  const hashes: Hashes[] = [];
  for (const { segment, data, names } of read) {
    await scheduler.wait(0);
    groups.push({ ...segment, nameBytes: names.length, digest: digestOf(data) });
    hashes.push(hashesOf(data, key));
  }
  await scheduler.wait(0);
  const made: MadeFile = {
    ...name,
    bytes: bytes.length,
    blocksAt,
    ...file.sums,
    groups: encodeGroups(groups),
    names: joinedBytes(read.map(({ names }) => names)),
    ids: idsOf(
      Uint32Array.from(hashes.flatMap(({ numbers }) => numbers)),
      Uint16Array.from(hashes.flatMap(({ marks }) => marks)),
    ),
  };
  return { made, file: bytes };
}

function hashesOf(data: Uint8Array, key: HashKey): Hashes {
  const { ids } = new RunColumns(data);
  return { numbers: ids.map((id) => keyHashOf(id, key)), marks: ids.map((id) => secondHashOf(id, key)) };
}
