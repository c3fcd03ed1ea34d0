/**
 * The work that the patterns and rules of one call may still do, in steps. A step is one cached transition of a
 * matcher, about 10 ns of CPU time. Code takes its steps before or during the work, and stops when none are left.
 */
export interface StepBudget {
  left: number;
}

/**
 * The work allowed for one run. Enforced checks and shadow checks have separate allowances, so that no shadow check can
 * stop a run.
 */
export interface RunStepBudget {
  readonly enforced: StepBudget;
  readonly watched: StepBudget;
}

/** About 300 ms: enough for all built-in detectors and a dozen patterns on the largest body. */
const PER_RUN: RunStepBudget = { enforced: { left: 30_000_000 }, watched: { left: 10_000_000 } };
/** About two seconds. */
const PER_CALL: RunStepBudget = { enforced: { left: 200_000_000 }, watched: { left: 50_000_000 } };

/** Takes steps from what is left. If there are too few, none are left. */
export function takeSteps(stepBudget: StepBudget, steps: number): boolean {
  stepBudget.left -= steps;
  return stepBudget.left >= 0;
}

/** Divides what one call may cost among its runs. */
export class CallStepBudget {
  readonly #left = { enforced: { ...PER_CALL.enforced }, watched: { ...PER_CALL.watched } };

  forRun<T>(check: (stepBudget: RunStepBudget) => T): T {
    const { enforced, watched } = this.#left;
    const given = {
      enforced: Math.min(PER_RUN.enforced.left, enforced.left),
      watched: Math.min(PER_RUN.watched.left, watched.left),
    };
    const stepBudget = { enforced: { left: given.enforced }, watched: { left: given.watched } };
    const result = check(stepBudget);
    enforced.left -= given.enforced - Math.max(stepBudget.enforced.left, 0);
    watched.left -= given.watched - Math.max(stepBudget.watched.left, 0);
    return result;
  }
}

/** The maximum cost of a single run. */
export function oneRunsSteps(): RunStepBudget {
  return { enforced: { ...PER_RUN.enforced }, watched: { ...PER_RUN.watched } };
}
