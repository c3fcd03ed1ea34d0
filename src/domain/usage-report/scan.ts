import { type DimensionRow, DIMENSIONS, storedName } from "../../contract/dimensions.ts";
import type { SoughtTag } from "../../contract/run-filters.ts";
import { addCosts, addCounts, momentsOf } from "../run-block/added-columns.ts";
import { type Frame, framesOf } from "../run-block/frames.ts";
import { numberedNames } from "../run-block/numbered-names.ts";
import { eachPart } from "../run-block/parts.ts";
import { COLUMN_NUMBERS } from "../run-block/record.ts";
import { type Grouping, type ReportAsk, StretchFinder } from "./ask.ts";
import { groupsIn, type Key } from "./groups.ts";
import { NameNumbers, RunSums } from "./run-sums.ts";
import { COUNTED, type GroupSums } from "./sums.ts";
import { tagIn } from "./tag.ts";

const ROW_OF = new Map<string, DimensionRow>(DIMENSIONS.map((row) => [row.name, row]));
const COUNT_AT = new Map<string, number>(COUNTED.map((name, at) => [name, at]));
const NOTHING = new Uint8Array(0);

/** Which runs of a block are asked for, by their places in it. */
interface Part {
  readonly from: number;
  /** Not included. */
  readonly to: number;
  /** Places whose runs do not count; some may be outside of the block. */
  readonly without: readonly number[];
  /** Whether all of them started within the report's time. */
  readonly isWithin: boolean;
}

/** Adds up blocks of runs, decoding only the columns that the report needs. */
export class BlockScan {
  readonly #ask: ReportAsk;
  readonly #sums = new RunSums();
  readonly #numbers: readonly NameNumbers[];
  readonly #finders: readonly (StretchFinder | null)[];

  constructor(ask: ReportAsk) {
    this.#ask = ask;
    this.#numbers = ask.groupBy.map(() => new NameNumbers());
    this.#finders = ask.groupBy.map((one) => (one.kind === "time" ? new StretchFinder(one.stretches) : null));
  }

  add(bytes: Uint8Array, { from, to, without, isWithin }: Part): void {
    let before = 0;
    for (const frame of framesOf(bytes)) {
      const [first, end] = [Math.max(0, from - before), Math.min(frame.count, to - before)];
      const own = without.length === 0 ? without : without.map((at) => at - before);
      if (first < end) this.#addFrame(frame, { from: first, to: end, without: own, isWithin });
      before += frame.count;
    }
  }

  addTo(sums: GroupSums): void {
    this.#sums.addTo(sums, (numbers) =>
      numbers.map((number, at) => this.#numbers[at]?.names[number] ?? null),
    );
  }

  #addFrame(frame: Frame, part: Part): void {
    const { count, columns } = frame;
    const needsTime = !part.isWithin || this.#finders.some((finder) => finder !== null);
    const moments = needsTime ? momentsOf(columns.get(COLUMN_NUMBERS.startedAt), count) : NO_MOMENTS;
    const isIn = this.#runsIn(frame, part, moments);
    if (isIn === null) return;
    const keys = this.#ask.groupBy.map((grouping, at) => this.#keyOf(grouping, at, frame, moments));
    const groups = groupsIn(keys, isIn, (numbers) => this.#sums.groupOf(numbers));
    this.#addColumns(frame, groups);
  }

  /** By run, 1 where it is asked for. Null: none is. */
  #runsIn({ count, columns }: Frame, part: Part, moments: Float64Array): Uint8Array | null {
    const { from, to, without, isWithin } = part;
    const isIn = new Uint8Array(count).fill(1, from, to);
    // A place outside of the array is not set.
    for (const at of without) isIn[at] = 0;
    const { fromMs, toMs, filters, without: missing = [], tags = [] } = this.#ask;
    if (!isWithin) {
      for (let run = 0; run < count; run += 1) {
        const moment = moments[run] ?? 0;
        if (moment < fromMs || moment >= toMs) isIn[run] = 0;
      }
    }
    const absent = missing.map((name) => [name, null] as const);
    const sought: (readonly [string, string | null])[] = [...Object.entries(filters), ...absent];
    for (const [name, wanted] of sought) {
      const row = ROW_OF.get(name);
      const { names, numbers } = numberedNames(columns.get(row?.column ?? 0), count);
      const number = names.indexOf(row === undefined ? wanted : storedName(row, wanted));
      if (number === -1) return null;
      if (numbers === null) continue;
      for (let run = 0; run < count; run += 1) if (numbers[run] !== number) isIn[run] = 0;
    }
    if (tags.length > 0) keepTagged(columns.get(COLUMN_NUMBERS.tags), tags, isIn);
    return isIn;
  }

  // oxlint-disable-next-line max-params -- one grouping of one frame
  #keyOf(grouping: Grouping, at: number, { count, columns }: Frame, moments: Float64Array): Key {
    const known = this.#numbers[at] ?? new NameNumbers();
    if (grouping.kind === "time") {
      const finder = this.#finders[at];
      const { labels } = grouping.stretches;
      const numbers = new Int32Array(count);
      for (let run = 0; run < count; run += 1) numbers[run] = finder?.at(moments[run] ?? 0) ?? 0;
      return { numbers, size: labels.length, numberOf: (number) => known.of(labels[number] ?? null) };
    }
    const row = ROW_OF.get(grouping.name);
    const column = grouping.kind === "tag" ? COLUMN_NUMBERS.tags : (row?.column ?? 0);
    const { names, numbers } = numberedNames(columns.get(column), count);
    const absent = grouping.kind === "tag" ? null : (row?.absent ?? null);
    const nameAt = (number: number) => names[number] ?? absent;
    return {
      numbers,
      size: names.length,
      numberOf: (number) =>
        known.of(grouping.kind === "tag" ? tagIn(nameAt(number), grouping.name) : nameAt(number)),
    };
  }

  #addColumns({ count, columns }: Frame, groups: Int32Array): void {
    const { costs, counts } = this.#sums;
    addCosts(columns.get(COLUMN_NUMBERS.cost) ?? NOTHING, groups, costs);
    const [runs, input, output] = counts;
    if (runs === undefined || input === undefined || output === undefined) return;
    for (const group of groups) if (group >= 0) runs[group] = (runs[group] ?? 0) + 1;
    const inputs = columns.get(COLUMN_NUMBERS.inputTokens);
    if (inputs !== undefined) addCounts(inputs, groups, input);
    const outputs = columns.get(COLUMN_NUMBERS.outputTokens);
    if (outputs !== undefined) addCounts(outputs, groups, output);
    eachPart(columns.get(COLUMN_NUMBERS.extra), count, (run, name, tokens) => {
      const group = groups[run] ?? -1;
      const sums = counts[COUNT_AT.get(name) ?? -1];
      if (group >= 0 && sums !== undefined) sums[group] = (sums[group] ?? 0) + tokens;
    });
  }
}

/** Takes away the runs that do not have all of these tags. */
function keepTagged(column: Uint8Array | undefined, tags: readonly SoughtTag[], isIn: Uint8Array): void {
  const { names, numbers } = numberedNames(column, isIn.length);
  const isTagged = names.map((text) => tags.every(({ name, value }) => tagIn(text, name) === value));
  for (let run = 0; run < isIn.length; run += 1) {
    if (isTagged[numbers?.[run] ?? 0] !== true) isIn[run] = 0;
  }
}

const NO_MOMENTS = new Float64Array(0);
