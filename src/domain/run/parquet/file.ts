import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { type Cell, type Column, schemaOf, sourceOf } from "./column.ts";

/** A group takes about 20 KB of the file's footer, which is in memory until the file ends. */
const GROUP_ROWS = 10_000;
const GROUP_CHARACTERS = 8_000_000;

interface Bounds {
  readonly rows: number;
  readonly characters: number;
}

/**
 * A Parquet file (Snappy) that is made piece by piece: `add` and `end` return the next bytes of the file. Rows are
 * written in groups, so memory is that of one group.
 */
export class ParquetFile<Row> {
  readonly #columns: readonly Column<Row>[];
  readonly #bounds: Bounds;
  readonly #bytes = new ByteWriter();
  readonly #writer: ParquetWriter;
  #cells: Cell[][];
  #rows = 0;
  #characters = 0;

  constructor(
    columns: readonly Column<Row>[],
    bounds: Bounds = { rows: GROUP_ROWS, characters: GROUP_CHARACTERS },
  ) {
    this.#columns = columns;
    this.#bounds = bounds;
    this.#writer = new ParquetWriter({ writer: this.#bytes, schema: schemaOf(columns) });
    this.#cells = columns.map(() => []);
  }

  add(rows: Iterable<Row>): Uint8Array<ArrayBuffer> {
    for (const row of rows) {
      for (const [at, column] of this.#columns.entries()) {
        const cell = column.of(row);
        if (typeof cell === "string") this.#characters += cell.length;
        this.#cells[at]?.push(cell);
      }
      this.#rows += 1;
      if (this.#rows >= this.#bounds.rows || this.#characters >= this.#bounds.characters) this.endGroup();
    }
    return this.#taken();
  }

  /** Bytes that readers of Parquet skip. Returns where they are in the file. */
  addUnread(bytes: Uint8Array): number {
    this.endGroup();
    const { offset } = this.#bytes;
    this.#bytes.appendBytes(bytes);
    return offset;
  }

  /** The rest of the file. Nothing can be added after it. */
  end(notes: Readonly<Record<string, string>> = {}): Uint8Array<ArrayBuffer> {
    this.endGroup();
    this.#writer.kvMetadata = Object.entries(notes).map(([key, value]) => ({ key, value }));
    void this.#writer.finish();
    return this.#taken();
  }

  /** Rows that are added from here on are in another group. */
  endGroup(): void {
    for (const _column of this.columnsOfGroup()) continue;
  }

  /** Ends a group, one column at each step: the group of a large file takes long. */
  *columnsOfGroup(): Generator<void> {
    if (this.#rows === 0) return;
    const { row_groups: groups } = this.#writer;
    const before = groups.length;
    const rowGroupSize = this.#rows;
    for (const [at, column] of this.#columns.entries()) {
      void this.#writer.write({ columnData: [sourceOf(column, this.#cells[at] ?? [])], rowGroupSize });
      this.#cells[at] = [];
      yield;
    }
    // The writer has made a group of each column.
    const made = groups.splice(before);
    groups.push({
      columns: made.flatMap(({ columns }) => columns),
      total_byte_size: made.reduce((sum, { total_byte_size: bytes }) => sum + bytes, 0n),
      num_rows: BigInt(rowGroupSize),
    });
    this.#writer.num_rows -= BigInt(rowGroupSize * (made.length - 1));
    this.#rows = 0;
    this.#characters = 0;
  }

  #taken(): Uint8Array<ArrayBuffer> {
    const taken = new Uint8Array(this.#bytes.getBuffer());
    // The writer counts bytes of the whole file in `offset`, and those in its buffer in `index`.
    this.#bytes.index = 0;
    return taken;
  }
}
