/** How many seconds each part of a run may take, on a machine that is not busy with something else. */
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

export function sharesOf(seconds: number): Shares {
  return {
    start: 75,
    first: 60,
    faults: seconds * 1.5 + 15,
    lastFault: 40,
    ending: 50,
    reading: 70 + seconds / 5,
  };
}

/** The whole run has ended by then, in seconds of such a machine. */
export function mostSecondsOf(seconds: number): number {
  return Object.values(sharesOf(seconds)).reduce((total: number, share: number) => total + share, 0);
}
