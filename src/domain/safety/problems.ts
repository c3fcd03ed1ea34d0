import { compileLinear, type LinearPattern, sizeProblem, tooLarge } from "../linear/pattern.ts";
import { type Detector, isBuiltIn } from "./safety.ts";
import { BUILT_INS } from "./detectors.ts";

/** The maximum total size of an org's patterns. */
const LARGEST_SET = 5_000;

type Problem = { field: "id" | "pattern"; problem: string };

/** Returns why each detector cannot be stored, with the field that is wrong. Undefined if it can. */
export function detectorProblems(detectors: readonly Detector[]): (Problem | undefined)[] {
  let size = 0;
  return detectors.map((detector) => {
    if (detector.kind === "builtin") {
      if (isBuiltIn(detector.id)) return undefined;
      return {
        field: "id",
        problem: `is not a built-in detector; the built-in detectors are ${Object.keys(BUILT_INS).join(", ")}`,
      };
    }
    if (isBuiltIn(detector.id)) return { field: "id", problem: "the name of a built-in" };
    const compiled = compileLinear(detector.pattern);
    const problem = "problem" in compiled ? compiled.problem : patternProblem(compiled);
    if (problem !== undefined || "problem" in compiled) return { field: "pattern", problem: problem ?? "" };
    size += compiled.size;
    if (size <= LARGEST_SET) return undefined;
    return { field: "pattern", problem: tooLarge("the patterns up to this one together", size, LARGEST_SET) };
  });
}

function patternProblem(pattern: LinearPattern): string | undefined {
  if (pattern.regex.test(""))
    return "must not match the empty string, because it would then match every input";
  return sizeProblem(pattern);
}
