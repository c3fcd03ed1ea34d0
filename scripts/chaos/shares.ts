/** How many seconds each part of a run may take, also on a busy machine. */
export interface Shares {
  /** Until both regions serve and all orgs are there. */
  readonly start: number;
  /** Rounds before any fault. */
  readonly first: number;
  /** There are fewer kills than were asked for rather than no end. */
  readonly faults: number;
  /** Until the fault of the last moment is over. */
  readonly lastFault: number;
  /** Until everybody has ended what they have begun. */
  readonly ending: number;
  /** Until all is read back and compared: the more, the longer it went on. */
  readonly reading: number;
}

export function sharesOf(seconds: number, patience = 1): Shares {
  return {
    start: 75 * patience,
    first: 60 * patience,
    faults: (seconds * 1.5 + 15) * patience,
    lastFault: 40 * patience,
    ending: 50 * patience,
    reading: (70 + seconds / 5) * patience,
  };
}

/** The whole run has a verdict by then. */
export function mostSecondsOf(seconds: number, patience = 1): number {
  return Object.values(sharesOf(seconds, patience)).reduce(
    (total: number, share: number) => total + share,
    0,
  );
}
