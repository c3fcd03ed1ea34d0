import { type Refusal, refuse } from "../../contract/refusal.ts";
import { type Scan, scan } from "../../domain/safety/safety.ts";
import type { RunStepBudget } from "../../domain/policy/step-budget.ts";
import type { Tx } from "../kernel/door.ts";
import type { Finding } from "../kernel/finding.ts";
import { loadDetectors } from "./config.ts";

type Code = "content_safety_blocked";
type ScannedRun = { readonly input?: unknown };

/**
 * Scans the input of runs with the org's detectors. Only the caller gets the sample: neither the audit entry nor the
 * event contains any of the input. Null if it has none.
 */
export function checkSafety(
  tx: Tx,
): ((run: ScannedRun, nanos: bigint, stepBudget: RunStepBudget) => Finding<Code> | null) | null {
  const detectors = loadDetectors(tx);
  if (detectors.length === 0) return null;
  return ({ input }, _nanos, stepBudget) => {
    const { blocked, shadowed, unread } = scan(detectors, input, stepBudget);
    if (blocked !== undefined) return refused(tx, blocked);
    if (shadowed.length === 0 && unread.length === 0) return null;
    const effect = () => {
      for (const detector of shadowed) {
        tx.record({ action: "safety.shadow_matched", target: detector, outcome: "done" });
      }
      for (const detector of unread) {
        tx.record({ action: "safety.shadow_not_evaluated", target: detector, outcome: "done" });
      }
    };
    return { refusal: null, effect };
  };
}

function refused(tx: Tx, blocked: NonNullable<Scan["blocked"]>): Finding<Code> {
  const { detector, isUnread } = blocked;
  const effect = () => {
    const detail = isUnread ? { detail: { not_evaluated: true } } : {};
    tx.record({ action: "safety.blocked", target: detector, outcome: "refused", ...detail });
  };
  const tell = () => tx.emitLast("safety.blocked", { detector });
  return { refusal: refusalOf(blocked), effect, tell };
}

function refusalOf({ detector, sample, isUnread }: NonNullable<Scan["blocked"]>): Refusal<Code> {
  if (!isUnread) return refuse("content_safety_blocked", { detector, sample });
  const message = `The detector '${detector}' could not scan the whole input within the work limit of one call, so the run is refused. Send less input or fewer runs per call, or simplify the detector.`;
  return refuse("content_safety_blocked", { detector, sample }, { message });
}
