/**
 * What the patterns and rules of one call may still cost, in steps. A step is what a matcher does for a character that it
 * has met in the same place before: some 10 ns of processor time. Whoever works takes its steps before the work, or as it
 * goes, and stops when none are left.
 */
export interface Work {
  left: number;
}

/** What a run may cost: what can refuse it, and apart from that what only watches, so that no shadow can stop a run. */
export interface RunWork {
  readonly enforced: Work;
  readonly watched: Work;
}

/** Some 300 ms: enough for all built-in detectors and a dozen patterns on the largest body. */
const PER_RUN: RunWork = { enforced: { left: 30_000_000 }, watched: { left: 10_000_000 } };
/** Some two seconds. */
const PER_CALL: RunWork = { enforced: { left: 200_000_000 }, watched: { left: 50_000_000 } };

/** Takes steps from what is left. Where there are not so many, none are left. */
export function take(work: Work, steps: number): boolean {
  work.left -= steps;
  return work.left >= 0;
}

/** Shares out what one call may cost among its runs. */
export class CallWork {
  readonly #left = { enforced: { ...PER_CALL.enforced }, watched: { ...PER_CALL.watched } };

  forRun<T>(check: (work: RunWork) => T): T {
    const { enforced, watched } = this.#left;
    const given = {
      enforced: Math.min(PER_RUN.enforced.left, enforced.left),
      watched: Math.min(PER_RUN.watched.left, watched.left),
    };
    const work = { enforced: { left: given.enforced }, watched: { left: given.watched } };
    const result = check(work);
    enforced.left -= given.enforced - Math.max(work.enforced.left, 0);
    watched.left -= given.watched - Math.max(work.watched.left, 0);
    return result;
  }
}

/** What a single run may cost. */
export function oneRunsWork(): RunWork {
  return { enforced: { ...PER_RUN.enforced }, watched: { ...PER_RUN.watched } };
}
