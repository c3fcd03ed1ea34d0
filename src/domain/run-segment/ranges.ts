/** The minimum and maximum, over the runs of a segment, of what lists sort by. */
export interface RunRanges {
  readonly startedMin: number;
  readonly startedMax: number;
  readonly recordedMin: number;
  readonly recordedMax: number;
  readonly costMin: bigint;
  readonly costMax: bigint;
}
