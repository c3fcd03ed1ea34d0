import { addCosts, addCounts } from "../run/segment/added-columns.ts";
import type { RowGroup } from "../run/segment/row-groups.ts";
import { eachPart, eachSaved } from "../run/segment/parts.ts";
import { COLUMN_NUMBERS } from "../run/segment/record.ts";
import type { RunSums } from "./run-sums.ts";
import { COUNT_AT, savedParts } from "./sums.ts";

const NOTHING = new Uint8Array(0);

/** Adds what each run of a row group cost and used to the sums of its group. A run of group -1 is left out. */
export function addAmounts(
  { count, columns }: RowGroup,
  groups: Int32Array,
  { costs, counts }: RunSums,
): void {
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
  eachPart(columns.get(COLUMN_NUMBERS.extra), count, (run, name, tokens) => {
    const group = groups[run] ?? -1;
    const sums = counts[COUNT_AT.get(name) ?? -1];
    if (group >= 0 && sums !== undefined) sums[group] = (sums[group] ?? 0) + tokens;
  });
  eachSaved(columns.get(COLUMN_NUMBERS.extra), count, (run, nanos) => {
    const group = groups[run] ?? -1;
    if (group < 0) return;
    for (const [name, part] of Object.entries(savedParts(nanos)) as [string, number][]) {
      const sums = counts[COUNT_AT.get(name) ?? -1];
      if (sums !== undefined) sums[group] = (sums[group] ?? 0) + part;
    }
  });
}
