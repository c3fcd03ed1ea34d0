import { DIMENSIONS } from "../../contract/dimensions.ts";
import { addCosts, addCounts } from "../run/segment/added-columns.ts";
import { ByteWriter } from "../bytes/byte-writer.ts";
import { END } from "../run/segment/row-group.ts";
import type { RowGroup } from "../run/segment/row-groups.ts";
import { NamesOfRuns } from "../run/segment/names.ts";
import { COLUMN_NUMBERS } from "../run/segment/record.ts";
import type { ReportAsk } from "./ask.ts";
import { DAILY_KINDS } from "./daily.ts";
import type { RunSums } from "./run-sums.ts";
import { COUNTED, type GroupRow } from "./sums.ts";

/**
 * The sums of many runs by the names in one column. It is written as a row group with a group in place of each run, so that it is
 * read like one. Counts have columns of their own, from this number on, in the order of `COUNTED`, which only grows.
 */
const FIRST_COUNT = 101;
const NOTHING = new Uint8Array(0);

/** The columns that rollups are made by: those which no daily sums are kept for, and all tags of a run together. */
export const ROLLUP_COLUMNS: readonly number[] = [
  ...DIMENSIONS.filter(({ name }) => !DAILY_KINDS.has(name)).map(({ column }) => column),
  COLUMN_NUMBERS.tags,
];

/** The column whose rollups know all that a report asks of their runs. Null if only the runs do. */
export function rollupColumn({ groupBy, filters, without = [], tags = [] }: ReportAsk): number | null {
  const [grouping, ...others] = groupBy;
  const isOfSome = Object.keys(filters).length > 0 || without.length > 0 || tags.length > 0;
  if (grouping === undefined || grouping.kind === "time" || others.length > 0 || isOfSome) return null;
  if (grouping.kind === "tag") return COLUMN_NUMBERS.tags;
  const column = DIMENSIONS.find(({ name }) => name === grouping.name)?.column;
  return column !== undefined && ROLLUP_COLUMNS.includes(column) ? column : null;
}

/** Groups by one name as it is stored, each once. */
export function encodeRollup(column: number, rows: readonly GroupRow[]): Uint8Array<ArrayBuffer> {
  const rowGroup = new ByteWriter();
  const values = new ByteWriter();
  const write = (number: number, fill: () => void) => {
    values.clear();
    fill();
    rowGroup.byte(number);
    rowGroup.count(values.length);
    rowGroup.append(values.view);
  };
  rowGroup.count(rows.length);
  const names = new NamesOfRuns(rows.length);
  for (const [[name]] of rows) names.add(name ?? null);
  write(column, () => names.write(values));
  write(COLUMN_NUMBERS.cost, () => {
    for (const [, nanos] of rows) values.amount(BigInt(nanos));
  });
  for (const at of COUNTED.keys()) {
    if (!rows.some(([, , counts]) => (counts[at] ?? 0) > 0)) continue;
    write(FIRST_COUNT + at, () => {
      for (const [, , counts] of rows) values.count(counts[at] ?? 0);
    });
  }
  rowGroup.byte(END);
  return rowGroup.bytes;
}

/** Adds each group of a rollup to the sums of the group that a report has it in. */
export function addRollup({ columns }: RowGroup, groups: Int32Array, { costs, counts }: RunSums): void {
  addCosts(columns.get(COLUMN_NUMBERS.cost) ?? NOTHING, groups, costs);
  for (const [at, sums] of counts.entries()) {
    const added = columns.get(FIRST_COUNT + at);
    if (added !== undefined) addCounts(added, groups, sums);
  }
}
