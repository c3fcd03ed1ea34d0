import { type Sound, withRule } from "../../contract/field-rules.ts";
import { newContentSafety } from "../../contract/resources/content-safety.ts";
import { detectorProblems } from "../../domain/safety/problems.ts";
import type { Detector } from "../../domain/safety/safety.ts";

/** Compiles patterns before they are stored, so that an invalid one is refused and its position reported. */
export const workingDetectors = withRule(newContentSafety.shape.detectors, (all, { complain }) => {
  const whole = all.flatMap((one, index) => (isWhole(one) ? [{ ...one, index }] : []));
  const ids = whole.map(({ id }) => id);
  for (const [at, found] of detectorProblems(whole).entries()) {
    const isTaken = ids.indexOf(ids[at] ?? "") < at;
    const problem = isTaken ? TAKEN : found && { ...found, code: CODES[found.field] };
    if (problem === undefined) continue;
    complain([whole[at]?.index ?? at, problem.field], problem.code, problem.problem);
  }
});

/** A detector with a part that is wrong is not compiled. */
function isWhole(one: Sound<Detector> | undefined): one is Detector {
  if (one?.id === undefined || one.action === undefined) return false;
  return one.kind === "pattern" ? one.pattern !== undefined : one.kind !== undefined;
}

const TAKEN = { field: "id", code: "duplicate", problem: "is already the id of another detector" };
const CODES = { id: "invalid_value", pattern: "invalid_pattern" } as const;
