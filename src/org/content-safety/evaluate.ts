import type { SafetyEvaluation } from "../../contract/resources/content-safety.ts";
import { tryDetectors } from "../../domain/safety/safety.ts";
import { oneRunsSteps } from "../../domain/policy/step-budget.ts";
import { query } from "../kernel/door.ts";
import { loadDetectors } from "./config.ts";

/** Tells what each detector finds in an input, within the work of one run. */
export const evaluateSafety = query({
  refuses: [],
  run(view, { input }: { input: unknown }): SafetyEvaluation {
    const detectors = tryDetectors(loadDetectors(view), input, oneRunsSteps());
    const blocks = detectors.some(({ action, result }) => action === "block" && result !== "nothing");
    return { decision: blocks ? "block" : "allow", detectors };
  },
});
