import { scan } from "../../domain/safety/safety.ts";
import { oneRunsSteps } from "../../domain/policy/step-budget.ts";
import { loadDetectors } from "../content-safety/config.ts";
import type { View } from "../kernel/door.ts";
import { ONLY_WITH_ALL, type Subject } from "./subject.ts";
import { type CheckOutcome, type Candidate, NO_AMOUNTS } from "./check.ts";

/** One for each detector. It contains nothing of the input. */
export function safetyCandidates(view: View, { content, phase }: Subject): Candidate[] {
  const detectors = loadDetectors(view);
  if (detectors.length === 0) return [];
  const found = content === null ? null : scan(detectors, content.input, oneRunsSteps());
  const input = content?.input ?? null;
  const saidBy = (id: string): CheckOutcome => {
    if (phase === "decision") return { passes: null, why: ONLY_WITH_ALL };
    if (found === null) return { passes: true, why: "It did not refuse." };
    if (input === null) return { passes: null, why: "There is no input to scan." };
    if (found.blocked?.detector === id) {
      return {
        passes: false,
        why: found.blocked.isUnread ? "It could not scan the whole input." : "It found something.",
      };
    }
    if (found.shadowed.includes(id))
      return { passes: true, why: "It found something, but is in shadow mode." };
    return { passes: true, why: "It found nothing." };
  };
  return detectors.map(({ detector: { id } }) => ({
    check: "content_safety",
    id,
    name: null,
    ...saidBy(id),
    amounts: NO_AMOUNTS,
  }));
}
