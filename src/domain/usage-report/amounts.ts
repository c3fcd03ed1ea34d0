import { addCosts, addCounts } from "../run/segment/added-columns.ts";
import type { RowGroup } from "../run/segment/row-groups.ts";
import { readExtra } from "../run/segment/parts.ts";
import { COLUMN_NUMBERS } from "../run/segment/record.ts";
import type { RunSums } from "./run-sums.ts";
import { COUNT_AT, savedParts } from "./sums.ts";
import { cached } from "../cache/cached.ts";

const NOTHING = new Uint8Array(0);

/** Adds what each run of a row group cost and used to the sums of its group. A run of group -1 is left out. */
export function addAmounts(rowGroup: RowGroup, groups: Int32Array, { costs, counts }: RunSums): void {
  const { count, columns } = rowGroup;
  addCosts(columns.get(COLUMN_NUMBERS.cost) ?? NOTHING, groups, costs);
  const [runs, input, output] = counts;
  if (runs === undefined || input === undefined || output === undefined) return;
  for (let run = 0; run < count; run += 1) {
    const group = groups[run] ?? -1;
    if (group >= 0) runs[group] = (runs[group] ?? 0) + 1;
  }
  const inputs = columns.get(COLUMN_NUMBERS.inputTokens);
  if (inputs !== undefined) addCounts(inputs, groups, input);
  const outputs = columns.get(COLUMN_NUMBERS.outputTokens);
  if (outputs !== undefined) addCounts(outputs, groups, output);
  const { runs: of, places, amounts, length } = extrasOf(rowGroup);
  for (let at = 0; at < length; at += 1) {
    const group = groups[of[at] ?? -1] ?? -1;
    const sums = counts[places[at] ?? -1];
    if (group >= 0 && sums !== undefined) sums[group] = (sums[group] ?? 0) + (amounts[at] ?? 0);
  }
}

/**
 * The counts of the runs of a row group that have no column of their own, in columns: the run, which of the counts, and
 * how much.
 */
class Extras {
  length = 0;
  runs = new Int32Array(FIRST_ROOM);
  places = new Int32Array(FIRST_ROOM);
  amounts = new Float64Array(FIRST_ROOM);

  add(run: number, place: number | undefined, amount: number): void {
    if (place === undefined) return;
    if (this.length === this.runs.length) this.#grow();
    this.runs[this.length] = run;
    this.places[this.length] = place;
    this.amounts[this.length] = amount;
    this.length += 1;
  }

  #grow(): void {
    const { runs, places, amounts, length } = this;
    (this.runs = new Int32Array(2 * length)).set(runs);
    (this.places = new Int32Array(2 * length)).set(places);
    (this.amounts = new Float64Array(2 * length)).set(amounts);
  }
}

const FIRST_ROOM = 256;

/** Read once: rollups add up one row group by many groupings. */
const read = new WeakMap<RowGroup, Extras>();

function extrasOf(rowGroup: RowGroup): Extras {
  return cached(read, rowGroup, () => readExtras(rowGroup));
}

function readExtras(rowGroup: RowGroup): Extras {
  const extras = new Extras();
  const [low, high] = [COUNT_AT.get("saved_low"), COUNT_AT.get("saved_high")];
  readExtra(rowGroup.columns.get(COLUMN_NUMBERS.extra), rowGroup.count, {
    part: (run, name, tokens) => extras.add(run, COUNT_AT.get(name), tokens),
    saved(run, nanos) {
      const { saved_low, saved_high } = savedParts(nanos);
      extras.add(run, low, saved_low);
      extras.add(run, high, saved_high);
    },
  });
  return extras;
}
