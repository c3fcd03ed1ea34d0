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
      if (this.#rows >= this.#bounds.rows || this.#characters >= this.#bounds.characters) this.#endGroup();
    }
    return this.#taken();
  }

  /** The rest of the file. Nothing can be added after it. */
  end(): Uint8Array<ArrayBuffer> {
    this.#endGroup();
    void this.#writer.finish();
    return this.#taken();
  }

  #endGroup(): void {
    if (this.#rows === 0) return;
    const columnData = this.#columns.map((column, at) => sourceOf(column, this.#cells[at] ?? []));
    void this.#writer.write({ columnData, rowGroupSize: this.#rows });
    this.#cells = this.#columns.map(() => []);
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
