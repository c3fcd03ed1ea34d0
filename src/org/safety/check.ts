import { type Refusal, refuse } from "../../contract/refusal.ts";
import { scan } from "../../domain/safety.ts";
import type { Tx } from "../door.ts";
import { staying } from "../staying.ts";
import { loadDetectors } from "./config.ts";

/**
 * Reads the input of runs with the org's detectors: the refusal, or what to do once the run is accepted, or null. The
 * sample goes to the caller alone: neither the entry nor the event carries any of the input.
 */
export function checkSafety(
  tx: Tx,
): (run: { readonly input?: unknown }) => Refusal<"content_safety_blocked"> | (() => void) | null {
  const detectors = loadDetectors(tx);
  if (detectors.length === 0) return () => null;
  return ({ input }) => {
    const { blocked, shadowed } = scan(detectors, input);
    if (blocked !== undefined) {
      const { detector } = blocked;
      staying(tx, () => {
        tx.record({ action: "safety.blocked", target: detector, outcome: "refused" });
        tx.emit("safety.blocked", { detector });
      });
      return refuse("content_safety_blocked", blocked);
    }
    if (shadowed.length === 0) return null;
    return () => {
      for (const detector of shadowed) {
        tx.record({ action: "safety.shadow_matched", target: detector, outcome: "done" });
      }
    };
  };
}
