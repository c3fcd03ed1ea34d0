import type { Row as LoggedRow } from "../table.ts";
import type { SegmentLayout, SegmentRow } from "./layout.ts";

/** Rows of small batches until a checkpoint: the write-ahead log has them, and no segment. */
export class WaitingRows<Row extends SegmentRow> {
  readonly #sql: SqlStorage;
  readonly #layout: Pick<SegmentLayout<Row>, "waiting" | "values" | "row">;
  /** Null: not read since something other than `add` changed them. */
  #rows: Row[] | null = null;
  /** Those that were read or added, by what the log has of them. */
  readonly #known = new Map<LoggedRow, Row>();

  constructor(sql: SqlStorage, layout: Pick<SegmentLayout<Row>, "waiting" | "values" | "row">) {
    this.#sql = sql;
    this.#layout = layout;
  }

  /** In order. Rows up to the last that is stored went into a segment with a large batch after them. */
  after(lastStored: number): readonly Row[] {
    return (this.#rows ??= this.read([...this.#layout.waiting.changed(this.#sql)], lastStored));
  }

  /** The rows after a seq of those that the log has. */
  read(logged: readonly LoggedRow[], lastStored: number): Row[] {
    const after = logged.filter(([seq]) => Number(seq) > lastStored);
    return after.map((one, at) => {
      if (one[0] !== lastStored + 1 + at)
        throw new Error(`the write-ahead log lacks row ${lastStored + 1 + at}`);
      return this.#known.get(one) ?? this.#learn(one, this.#layout.row(one.slice(1)));
    });
  }

  /** Inside a transaction of another kind they are stored at once. */
  add(rows: readonly Row[], firstSeq: number): void {
    const logged = rows.map((row, at): LoggedRow => [firstSeq + at, ...this.#layout.values(row)]);
    this.#layout.waiting.put(this.#sql, logged);
    for (const [at, row] of rows.entries()) {
      if (this.#rows === null) return;
      this.#rows.push(this.#learn(logged[at] ?? [], row));
    }
  }

  #learn(logged: LoggedRow, row: Row): Row {
    this.#known.set(logged, row);
    return row;
  }

  /** They are in segments now. */
  noteStored(): void {
    this.#rows = null;
    this.#known.clear();
  }

  rollBack(): void {
    this.#rows = null;
  }
}
