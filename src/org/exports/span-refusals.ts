import { placeId } from "../../domain/bytes/ulid.ts";
import type { StoredRefusal } from "../refusals/find.ts";
import { type BatchRow, batchOf, firstSeqAt } from "../refusals/store.ts";
import type { SpanPlace, SpanState } from "../span-exports/state.ts";

interface OpenRow {
  readonly row: BatchRow;
  readonly refusals: readonly StoredRefusal[];
  index: number;
  readonly isLate: boolean;
}

/**
 * Refusals that an export has not sent, row by row: the row that it has begun, then rows that came late, then those that follow.
 * Rows that ended before `keptFrom` are dropped, and so are refusals of a row that are only counted.
 */
export class RefusalReader {
  readonly #sql: SqlStorage;
  readonly #keptSeq: number;
  #late: number[];
  readonly #isLate: ReadonlySet<number>;
  #from: number;
  #begun: { readonly row: number; readonly index: number } | null;
  #open: OpenRow | null = null;
  readonly lateDone: number[] = [];
  dropped = 0;
  /** The last row that was read, of those that did not come late. */
  #readTo: number;

  constructor(sql: SqlStorage, state: SpanState, keptFrom: number) {
    this.#sql = sql;
    this.#keptSeq = firstSeqAt(keptFrom);
    this.#from = state.refusal_from;
    this.#begun = state.refusal_row === null ? null : { row: state.refusal_row, index: state.refusal_index };
    this.#late = sql
      .exec<{ seq: number }>("SELECT seq FROM late_refusals WHERE export = ? ORDER BY seq", state.name)
      .toArray()
      .map(({ seq }) => seq);
    this.#isLate = new Set(this.#late);
    this.#readTo = state.refusal_read_to;
  }

  /** The next one. Null if all were read. */
  peek(): StoredRefusal | null {
    for (;;) {
      this.#open ??= this.#nextRow();
      if (this.#open === null) return null;
      const next = this.#open.refusals[this.#open.index];
      if (next !== undefined) return next;
      this.#close(this.#open);
    }
  }

  take(): void {
    if (this.#open !== null) this.#open.index += 1;
  }

  /** Where to go on after what was taken. */
  get place(): SpanPlace["refusals"] {
    const open = this.#open;
    // A row that is not begun is found again.
    const isBegun = open !== null && open.index > 0;
    return {
      refusal_from: this.#from,
      refusal_read_to: this.#readTo,
      refusal_row: isBegun ? open.row.seq : (this.#begun?.row ?? null),
      refusal_index: isBegun ? open.index : (this.#begun?.index ?? 0),
    };
  }

  #close({ row, isLate }: OpenRow): void {
    for (const { count } of batchOf(row).more) this.dropped += count;
    if (isLate) this.lateDone.push(row.seq);
    else this.#from = Math.max(this.#from, row.seq + 1);
    this.#open = null;
  }

  #nextRow(): OpenRow | null {
    const begun = this.#begun;
    this.#begun = null;
    if (begun !== null) {
      const row = this.#rowAt("seq = ?", begun.row);
      if (row !== null) {
        // One that came late is in that list, too, and is not read twice.
        this.#late = this.#late.filter((seq) => seq !== row.seq);
        return this.#opened(row, begun.index);
      }
    }
    for (let seq = this.#late.shift(); seq !== undefined; seq = this.#late.shift()) {
      const row = this.#rowAt("seq = ?", seq);
      if (row !== null) return this.#opened(row, 0);
      this.lateDone.push(seq);
    }
    for (;;) {
      const row = this.#rowAt("seq >= ?", this.#from);
      if (row === null) return null;
      if (!this.#isLate.has(row.seq)) return this.#opened(row, 0);
      this.#from = row.seq + 1;
    }
  }

  #opened(row: BatchRow, index: number): OpenRow {
    const isLate = this.#isLate.has(row.seq);
    if (!isLate) this.#readTo = Math.max(this.#readTo, row.seq);
    const refusals = batchOf(row).notes.map((note, at) => ({
      ...note,
      id: placeId("ref", note.at, row.seq, at),
    }));
    if (row.seq >= this.#keptSeq) return { row, refusals, index, isLate };
    this.dropped += refusals.length - index;
    return { row, refusals, index: refusals.length, isLate };
  }

  #rowAt(where: "seq = ?" | "seq >= ?", seq: number): BatchRow | null {
    const rows = this.#sql.exec<BatchRow>(
      `SELECT * FROM refusal_batches WHERE ${where} ORDER BY seq LIMIT 1`,
      seq,
    );
    return rows.toArray()[0] ?? null;
  }
}
