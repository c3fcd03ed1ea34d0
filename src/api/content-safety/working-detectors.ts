import { newContentSafety } from "../../contract/resources/content-safety.ts";
import { detectorProblems } from "../../domain/safety-problems.ts";

/** Compiles patterns before they are stored, so that an invalid one is refused and its position reported. */
export const workingDetectors = newContentSafety.shape.detectors.superRefine((all, context) => {
  const ids = all.map(({ id }) => id);
  for (const [index, found] of detectorProblems(all).entries()) {
    const isTaken = ids.indexOf(ids[index] ?? "") < index;
    const problem = isTaken ? TAKEN : found && { ...found, code: CODES[found.field] };
    if (problem === undefined) continue;
    const { field, code, problem: message } = problem;
    context.addIssue({ code: "custom", path: [index, field], message, params: { code } });
  }
});

const TAKEN = { field: "id", code: "duplicate", problem: "is already the id of another detector" };
const CODES = { id: "invalid_value", pattern: "invalid_pattern" } as const;
