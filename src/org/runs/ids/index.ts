import { keyHashesOf, type KeyProbe } from "../../../storage/key-index/probe.ts";
import { KeyIndex, MissingBlock } from "../../../storage/key-index/key-index.ts";
import { runBlocks } from "../blocks/blocks.ts";
import { idKey } from "./key.ts";

class RunIds {
  readonly index: KeyIndex;
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage, size?: number) {
    this.#sql = sql;
    const blocks = runBlocks(sql);
    const key = idKey(sql);
    const log = {
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
    this.index = new KeyIndex(sql, { name: "run_id", hasFilters: true }, log, size);
  }

  find: KeyIndex["find"] = (sought) => {
    try {
      return this.index.find(sought);
    } catch (error) {
      this.#rebuildAfter(error);
      return this.index.find(sought);
    }
  };

  /** Adds runs that were just stored, in this order. What was sought before often has their hashes. */
  add(ids: readonly string[], sought: KeyProbe | null = null): void {
    try {
      this.index.addNext(sought?.firstNumbers(ids) ?? keyHashesOf(ids, idKey(this.#sql)));
    } catch (error) {
      // They are stored already, so they are in what is built.
      this.#rebuildAfter(error);
    }
  }

  #rebuildAfter(error: unknown): void {
    if (!(error instanceof MissingBlock)) throw error;
    this.index.rebuild();
  }
}

const INDEXES = new WeakMap<SqlStorage, RunIds>();

/** Finds runs by their ids. Read again at each use, because a rollback may have changed it. */
export function runIds(sql: SqlStorage, size?: number): Pick<RunIds, "find" | "add"> {
  const there = INDEXES.get(sql);
  if (there?.index.isCurrent() === true) return there;
  const read = new RunIds(sql, size);
  INDEXES.set(sql, read);
  return read;
}
