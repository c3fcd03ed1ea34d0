import type { HashKey } from "../../../domain/id-index/keyed-number.ts";
import { markOf } from "../../../domain/id-index/mark.ts";
import { numberOf } from "../../../domain/id-index/number.ts";
import { encodeGroups } from "../../../domain/run-archive/groups.ts";
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

/** Makes a file of blocks. Other calls are served between its steps. Null if the blocks have changed meanwhile. */
export async function buildFile(
  sql: SqlStorage,
  name: FileName,
  entries: readonly BlockEntry[],
): Promise<Built | null> {
  // Loaded when it is first needed: few calls wait for it, and every start would.
  const { ArchiveFile } = await import("../../../domain/runs-parquet/archive-file.ts");
  const file = new ArchiveFile();
  const blocks: Uint8Array<ArrayBuffer>[] = [];
  for (const entry of entries) {
    const there = entryWith(runBlocks(sql).entries, entry.firstSeq);
    if (!isAlike(entry, there)) return null;
    const block = runBlocks(sql).bytesOf(entry);
    file.add(block);
    blocks.push(block);
    await scheduler.wait(0);
  }
  const steps = file.parts(name.firstSeq);
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) await scheduler.wait(0);
  const { bytes, blocksAt } = step.value;
  const names = entries.map((entry) => namesOf(sql, entry.firstSeq));
  const made: MadeFile = {
    ...name,
    bytes: bytes.length,
    blocksAt,
    ...file.sums,
    groups: encodeGroups(
      entries.map((entry, at) => ({
        ...entry,
        nameBytes: names[at]?.length ?? 0,
        digest: digestOf(blocks[at] ?? new Uint8Array()),
      })),
    ),
    names: joined(names),
    ids: hashesOf(blocks, idKey(sql)),
  };
  return { made, file: bytes };
}

function hashesOf(blocks: readonly Uint8Array[], key: HashKey | null): ArrayBuffer {
  const ids = blocks.flatMap((block) => new RunBlock(block).ids);
  return idsOf(
    Uint32Array.from(ids, (id) => numberOf(id, key)),
    Uint16Array.from(ids, (id) => markOf(id, key)),
  );
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
