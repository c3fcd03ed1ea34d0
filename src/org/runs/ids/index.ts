import { KeyIndex } from "../../../storage/key-index/key-index.ts";
import { runBlocks } from "../blocks/blocks.ts";
import { idKey } from "./key.ts";

const INDEXES = new WeakMap<SqlStorage, KeyIndex>();

/** Finds runs by the hashes of their ids. Compared at each use, because a rollback may have changed it. */
export function runIds(sql: SqlStorage, size?: number): Pick<KeyIndex, "find" | "addNext"> {
  const there = INDEXES.get(sql);
  if (there?.isCurrent() === true) return there;
  const read = readIndex(sql, size);
  INDEXES.set(sql, read);
  return read;
}

function readIndex(sql: SqlStorage, size: number | undefined): KeyIndex {
  const blocks = runBlocks(sql);
  const key = idKey(sql);
  const rows = {
    hasGaps: false,
    get firstSeq() {
      return blocks.firstSeq;
    },
    get lastSeq() {
      return blocks.lastSeq;
    },
    get hashSecret() {
      return idKey(sql).join();
    },
    keyHashesAfter: (seq: number) => blocks.keyHashesAfter(seq, key),
  };
  return new KeyIndex(sql, { name: "run_id", hasFilters: true }, rows, size);
}
