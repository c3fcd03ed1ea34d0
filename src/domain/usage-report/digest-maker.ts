import { type Frame, framesOf } from "../run-block/frames.ts";
import { KnownNames } from "../run-block/known-names.ts";
import { NameReader } from "../run-block/numbered-names.ts";
import { addAmounts } from "./amounts.ts";
import { DIGESTED, encodeDigest } from "./digest.ts";
import { Groups } from "./groups.ts";
import { NameNumbers, RunSums } from "./run-sums.ts";

/** A digest is worth storing if it is much smaller than its runs, and fits into a row with room to spare. */
const MOST_NAMES = 4096;
const RUNS_PER_NAME = 4;
const MOST_BYTES = 262_144;

export interface Digest {
  readonly column: number;
  /** 0: the runs have too many names to add up beforehand. */
  readonly groups: number;
  readonly data: Uint8Array<ArrayBuffer>;
}

/** Adds up blocks by each column that digests are made by. */
export class DigestMaker {
  readonly #columns = DIGESTED.map((column) => new ColumnSums(column));
  #runs = 0;

  add(block: Uint8Array): void {
    for (const frame of framesOf(block)) {
      this.#runs += frame.count;
      for (const column of this.#columns) column.add(frame);
    }
  }

  *digests(): Generator<Digest> {
    const most = Math.min(MOST_NAMES, Math.floor(this.#runs / RUNS_PER_NAME));
    for (const column of this.#columns) yield column.digest(most);
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
    this.#reader = new NameReader(new KnownNames(numberOf), numberOf(null));
  }

  add(frame: Frame): void {
    if (this.#numbers.names.length > MOST_NAMES) return;
    const key = this.#reader.read(frame.columns.get(this.#column), frame.count);
    const isIn = new Uint8Array(frame.count).fill(1);
    addAmounts(
      frame,
      this.#groups.in([key], isIn, (code) => this.#sums.groupOf(code)),
      this.#sums,
    );
  }

  digest(mostNames: number): Digest {
    const column = this.#column;
    const none = { column, groups: 0, data: new Uint8Array(0) };
    if (this.#numbers.names.length > mostNames) return none;
    const rows = this.#sums.rows([this.#numbers]);
    const data = encodeDigest(column, rows);
    return data.length > MOST_BYTES ? none : { column, groups: rows.length, data };
  }
}
