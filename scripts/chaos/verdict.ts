import { TooLate } from "./in-time.ts";

/** What a run shows, and the status of its process. */
export const STATUS = { holds: 0, violated: 1, "no verdict": 2 } as const;
export type Verdict = keyof typeof STATUS;

export interface Ending {
  readonly verdict: Verdict;
  readonly why: string;
}

/** Where all was compared. */
export function comparedEnding(violations: number, isIdle: boolean): Ending {
  if (violations > 0) return { verdict: "violated", why: `${violations} promises were broken` };
  if (isIdle) return { verdict: "no verdict", why: "an org's callers sent nothing: use more seconds" };
  return { verdict: "holds", why: "every promise was kept" };
}

/** Where a run ended before all was compared. What was found until then stands. */
export function earlyEnding(cause: unknown, found: number): Ending {
  const why = cause instanceof Error ? cause.message : String(cause);
  if (found > 0)
    return { verdict: "violated", why: `${found} promises were broken before the run ended early: ${why}` };
  // The machine had time enough, so the service never ends what it has begun.
  if (cause instanceof TooLate && !cause.isOfTheMachine)
    return { verdict: "violated", why: `no end: ${why}` };
  return { verdict: "no verdict", why };
}
