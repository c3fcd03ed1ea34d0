import { type EncodedRowGroup, encodeRowGroup } from "../../../domain/run-segment/row-group.ts";
import type { RunRecord } from "../../../domain/run-segment/record.ts";

/** A row can have 2 MB. One run's part of a request is smaller. */
const MOST_BYTES = 1_048_576;

export interface Part extends EncodedRowGroup {
  readonly runs: readonly RunRecord[];
}

/** Runs as row groups, each small enough for a row. */
export function partsOf(runs: readonly RunRecord[]): Part[] {
  const { data, names } = encodeRowGroup(runs);
  if (data.length <= MOST_BYTES || runs.length === 1) return [{ runs, data, names }];
  const half = Math.ceil(runs.length / 2);
  return [...partsOf(runs.slice(0, half)), ...partsOf(runs.slice(half))];
}
