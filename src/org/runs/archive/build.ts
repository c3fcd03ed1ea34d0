import { joinedBytes } from "../../../domain/joined-bytes.ts";
import { secondHashOf } from "../../../storage/key-index/second-hash.ts";
import { type HashKey, keyHashOf } from "../../../storage/key-index/key-hash.ts";
import { type ArchivedGroup, encodeGroups } from "../../../domain/run-archive/groups.ts";
import { RunBlock } from "../../../domain/run-block/block.ts";
import { runBlocks } from "../blocks/blocks.ts";
import { type BlockEntry, entryWith, isAlike } from "../blocks/entry.ts";
import { digestOf } from "../blocks/fetch.ts";
import { idsOf } from "../blocks/files.ts";
import { namesOf } from "../blocks/table.ts";
import { idKey } from "../ids/key.ts";
import type { FileName, MadeFile } from "./files.ts";

interface Built {
  readonly made: MadeFile;
  readonly file: Uint8Array<ArrayBuffer>;
}

/** A block, as it was when the file was begun. */
interface Read {
  readonly entry: BlockEntry;
  readonly block: Uint8Array<ArrayBuffer>;
  readonly names: Uint8Array;
}

/** By which the ids of a block are found. */
interface Hashes {
  readonly numbers: readonly number[];
  readonly marks: readonly number[];
}

/** Makes a file of blocks. Other calls are served between its steps. Null if the blocks have changed meanwhile. */
export async function buildFile(
  sql: SqlStorage,
  name: FileName,
  entries: readonly BlockEntry[],
): Promise<Built | null> {
  // Loaded when it is first needed: few calls wait for it, and every start would.
  const { ArchiveFile } = await import("../../../domain/runs-parquet/archive-file.ts");
  const file = new ArchiveFile();
  const read: Read[] = [];
  for (const entry of entries) {
    const there = entryWith(runBlocks(sql).entries, entry.firstSeq);
    if (!isAlike(entry, there)) return null;
    const block = runBlocks(sql).bytesOf(entry);
    const names = namesOf(sql, entry.firstSeq);
    file.add(block);
    read.push({ entry, block, names });
    await scheduler.wait(0);
  }
  const steps = file.parts(name.firstSeq);
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) await scheduler.wait(0);
  const { bytes, blocksAt } = step.value;
  const key = idKey(sql);
  const groups: ArchivedGroup[] = [];
  const hashes: Hashes[] = [];
  for (const { entry, block, names } of read) {
    await scheduler.wait(0);
    groups.push({ ...entry, nameBytes: names.length, digest: digestOf(block) });
    hashes.push(hashesOf(block, key));
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

function hashesOf(block: Uint8Array, key: HashKey): Hashes {
  const { ids } = new RunBlock(block);
  return { numbers: ids.map((id) => keyHashOf(id, key)), marks: ids.map((id) => secondHashOf(id, key)) };
}
