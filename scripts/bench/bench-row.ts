/** One line of what the bench prints and writes. */
export interface BenchRow {
  readonly name: string;
  /** Null if it failed. */
  readonly perSecond: number | null;
  /** Processor time of the serving process per request, in microseconds. Null if not measured. */
  readonly cpuMicros: number | null;
  /** How far rounds differed: of the ratio, or of the processor time where there is none. Absent or null: one round. */
  readonly spread?: number | null;
  /** How much the subject named by `of` takes of what this one takes: above one, this one is the cheaper. */
  readonly ratio: number | null;
  readonly of: string | null;
  readonly target: number | null;
  readonly note: string;
  /** Why it could not be measured, or not in every round. */
  readonly failure?: string;
}

/** What a row is about. */
export interface Compared {
  readonly name: string;
  /** The name of what it is compared with. None for a reference. */
  readonly of?: string;
  readonly target?: number;
}
