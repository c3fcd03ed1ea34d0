import { momentsOf } from "../run/segment/added-columns.ts";
import { type RowGroup, rowGroupsOf } from "../run/segment/row-groups.ts";
import { COLUMN_NUMBERS } from "../run/segment/record.ts";
import { addAmounts } from "./amounts.ts";
import { type ReportGrouping, type ReportAsk, StretchFinder } from "./ask.ts";
import { ASKED_FOR, groupedColumn, type NamedColumn, filterColumns } from "./columns.ts";
import { addRollup } from "./rollup.ts";
import { Groups, type Key } from "./groups.ts";
import { NameNumbers, RunSums } from "./run-sums.ts";
import type { GroupRow } from "./sums.ts";

const NO_MOMENTS = new Float64Array(0);

/** The runs of a segment that are asked for, by their places in it. */
interface SegmentRange {
  readonly from: number;
  /** Not included. */
  readonly to: number;
  /** Places whose runs do not count; some may be outside of the segment. */
  readonly without: readonly number[];
  /** True if all of them started within the report's time. */
  readonly isWithin: boolean;
}

/** A grouping with the numbers of its names: those of a column, or of stretches of time. */
interface GroupTotals {
  readonly numbers: NameNumbers;
  readonly by: NamedColumn | { readonly finder: StretchFinder; readonly shared: Int32Array };
}

function groupTotalsOf(grouping: ReportGrouping): GroupTotals {
  const numbers = new NameNumbers();
  if (grouping.kind !== "time") return { numbers, by: groupedColumn(grouping, numbers) };
  const shared = Int32Array.from(grouping.stretches.labels, (label) => numbers.of(label));
  return { numbers, by: { finder: new StretchFinder(grouping.stretches), shared } };
}

/** Adds up segments of runs, decoding only the columns that the report needs. */
export class SegmentScan {
  readonly #ask: ReportAsk;
  readonly #sums = new RunSums();
  readonly #groups = new Groups();
  readonly #groupings: readonly GroupTotals[];
  readonly #sought: readonly NamedColumn[];
  readonly #isByTime: boolean;

  constructor(ask: ReportAsk) {
    this.#ask = ask;
    this.#groupings = ask.groupBy.map(groupTotalsOf);
    this.#sought = filterColumns(ask);
    this.#isByTime = ask.groupBy.some(({ kind }) => kind === "time");
  }

  add(bytes: Uint8Array, { from, to, without, isWithin }: SegmentRange): void {
    let before = 0;
    for (const rowGroup of rowGroupsOf(bytes)) {
      const [first, end] = [Math.max(0, from - before), Math.min(rowGroup.count, to - before)];
      const own = without.length === 0 ? without : without.map((at) => at - before);
      if (first < end) this.#addRowGroup(rowGroup, { from: first, to: end, without: own, isWithin });
      before += rowGroup.count;
    }
  }

  /** Adds the sums of all runs of some segments, by the column that the report is grouped by. */
  addRollupOf(bytes: Uint8Array): void {
    for (const rowGroup of rowGroupsOf(bytes)) {
      const keys = this.#groupings.map(({ by }) => keyOf(by, rowGroup, NO_MOMENTS));
      const isIn = new Uint8Array(rowGroup.count).fill(1);
      const groups = this.#groups.in(keys, isIn, (code) => this.#sums.groupOf(code));
      addRollup(rowGroup, groups, this.#sums);
    }
  }

  rows(): GroupRow[] {
    return this.#sums.rows(this.#groupings.map(({ numbers }) => numbers));
  }

  #addRowGroup(rowGroup: RowGroup, part: SegmentRange): void {
    const { count, columns } = rowGroup;
    const needsTime = !part.isWithin || this.#isByTime;
    const moments = needsTime ? momentsOf(columns.get(COLUMN_NUMBERS.startedAt), count) : NO_MOMENTS;
    const isIn = this.#runsIn(rowGroup, part, moments);
    if (isIn === null) return;
    const keys = this.#groupings.map(({ by }) => keyOf(by, rowGroup, moments));
    const groups = this.#groups.in(keys, isIn, (code) => this.#sums.groupOf(code));
    addAmounts(rowGroup, groups, this.#sums);
  }

  /** By run, 1 where it is asked for. Null if none is. */
  #runsIn({ count, columns }: RowGroup, part: SegmentRange, moments: Float64Array): Uint8Array | null {
    const { from, to, without, isWithin } = part;
    const isIn = new Uint8Array(count).fill(1, from, to);
    // A place outside of the array is not set.
    for (const at of without) isIn[at] = 0;
    if (!isWithin) {
      const { fromMs, toMs } = this.#ask;
      for (let run = 0; run < count; run += 1) {
        const moment = moments[run] ?? 0;
        if (moment < fromMs || moment >= toMs) isIn[run] = 0;
      }
    }
    for (const { column, reader } of this.#sought) {
      const { shared, places } = reader.read(columns.get(column), count);
      if (!shared.includes(ASKED_FOR)) return null;
      if (places === null) continue;
      for (let run = 0; run < count; run += 1) if (shared[places[run] ?? 0] !== ASKED_FOR) isIn[run] = 0;
    }
    return isIn;
  }
}

function keyOf(by: GroupTotals["by"], { count, columns }: RowGroup, moments: Float64Array): Key {
  if (!("finder" in by)) return by.reader.read(columns.get(by.column), count);
  const { finder, shared } = by;
  const places = new Int32Array(count);
  for (let run = 0; run < count; run += 1) places[run] = finder.at(moments[run] ?? 0);
  return { places, shared };
}
