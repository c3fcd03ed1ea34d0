import { numbersOf, type Sought } from "../../../domain/id-index/sought.ts";
import { LogIndex } from "../../kernel/id-index/log-index.ts";
import { MissingBlock } from "../../kernel/id-index/segment.ts";
import { runBlocks } from "../blocks/blocks.ts";
import { idKey } from "./key.ts";

class RunIds {
  readonly index: LogIndex;
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
      get hashing() {
        return idKey(sql).join();
      },
      numbersAfter: (seq: number) => blocks.numbersAfter(seq, key),
    };
    this.index = new LogIndex(sql, "run_id", log, size);
  }

  find: LogIndex["find"] = (sought) => {
    try {
      return this.index.find(sought);
    } catch (error) {
      this.#rebuildAfter(error);
      return this.index.find(sought);
    }
  };

  /** Adds runs that were just stored, in this order. What was sought before often has their hashes. */
  add(ids: readonly string[], sought: Sought | null = null): void {
    try {
      this.index.addNext(sought?.firstNumbers(ids) ?? numbersOf(ids, idKey(this.#sql)));
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
