import { type RowGroup, rowGroupsOf } from "../run/segment/row-groups.ts";
import { NameCache } from "../run/segment/name-cache.ts";
import { NameReader } from "../run/segment/numbered-names.ts";
import { addAmounts } from "./amounts.ts";
import { ROLLUP_COLUMNS, encodeRollup } from "./rollup.ts";
import { Groups } from "./groups.ts";
import { NameNumbers, RunSums } from "./run-sums.ts";

/** A rollup is worth storing if it is much smaller than its runs, and fits into a row with room to spare. */
const MOST_NAMES = 4096;
const RUNS_PER_NAME = 4;
const MOST_BYTES = 262_144;

export interface Rollup {
  readonly column: number;
  /** 0: the runs have too many names to add up beforehand. */
  readonly groups: number;
  readonly data: Uint8Array<ArrayBuffer>;
}

/** Adds up segments by each column that rollups are made by. */
export class RollupMaker {
  readonly #columns = ROLLUP_COLUMNS.map((column) => new ColumnSums(column));
  #runs = 0;

  add(segment: Uint8Array): void {
    for (const rowGroup of rowGroupsOf(segment)) {
      this.#runs += rowGroup.count;
      for (const column of this.#columns) column.add(rowGroup);
    }
  }

  *rollups(): Generator<Rollup> {
    const most = Math.min(MOST_NAMES, Math.floor(this.#runs / RUNS_PER_NAME));
    for (const column of this.#columns) yield column.rollup(most);
  }
}

class ColumnSums {
  readonly #column: number;
  readonly #numbers = new NameNumbers();
  readonly #reader: NameReader;
  readonly #groups = new Groups();
  readonly #sums = new RunSums();

  constructor(column: number) {
    this.#column = column;
    const numberOf = (name: string | null) => this.#numbers.of(name);
    this.#reader = new NameReader(new NameCache(numberOf), numberOf(null));
  }

  add(rowGroup: RowGroup): void {
    if (this.#numbers.names.length > MOST_NAMES) return;
    const key = this.#reader.read(rowGroup.columns.get(this.#column), rowGroup.count);
    const isIn = new Uint8Array(rowGroup.count).fill(1);
    addAmounts(
      rowGroup,
      this.#groups.in([key], isIn, (code) => this.#sums.groupOf(code)),
      this.#sums,
    );
  }

  rollup(mostNames: number): Rollup {
    const column = this.#column;
    const none = { column, groups: 0, data: new Uint8Array(0) };
    if (this.#numbers.names.length > mostNames) return none;
    const rows = this.#sums.rows([this.#numbers]);
    const data = encodeRollup(column, rows);
    return data.length > MOST_BYTES ? none : { column, groups: rows.length, data };
  }
}
