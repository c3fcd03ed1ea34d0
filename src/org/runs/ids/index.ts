import { KeyIndex } from "../../../storage/key-index/key-index.ts";
import { runSegments } from "../segments/segments.ts";
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
  const store = runSegments(sql);
  const key = idKey(sql);
  const rows = {
    hasGaps: false,
    get firstSeq() {
      return store.firstSeq;
    },
    get lastSeq() {
      return store.lastSeq;
    },
    get hashSecret() {
      return idKey(sql).join();
    },
    keyHashesAfter: (seq: number) => store.keyHashesAfter(seq, key),
  };
  return new KeyIndex(sql, { name: "run_id", hasFilters: true }, rows, size);
}
