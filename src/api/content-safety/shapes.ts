import { z } from "zod";
import { timestamp } from "../../contract/shapes.ts";
import { DETECTOR_ACTIONS, type Detector, detectorProblem, MOST_DETECTORS } from "../../domain/safety.ts";

const id = z.string().regex(/^[a-z0-9_]{1,64}$/, "must be 1 to 64 of a-z, 0-9 and _");
const action = z.enum(DETECTOR_ACTIONS);

const detector = z.discriminatedUnion("kind", [
  z.strictObject({ id, kind: z.literal("builtin"), action }),
  z.strictObject({
    id,
    kind: z.literal("pattern"),
    pattern: z.string().min(1).meta({ description: "RE2 syntax: it takes linear time on any text." }),
    action,
  }),
]);

export const detectorsInput = z
  .array(detector)
  .max(MOST_DETECTORS)
  .superRefine((detectors, context) => {
    const seen = new Set<string>();
    detectors.forEach((one, index) => {
      const problem = problemOf(one, seen);
      seen.add(one.id);
      if (problem === undefined) return;
      const { field, code, message } = problem;
      context.addIssue({ code: "custom", path: [index, field], message, params: { code } });
    });
  });

function problemOf(
  one: Detector,
  seen: ReadonlySet<string>,
): { field: string; code: string; message: string } | undefined {
  if (seen.has(one.id)) return { field: "id", code: "duplicate", message: "is the id of another detector" };
  const found = detectorProblem(one);
  if (found === undefined) return undefined;
  const code = found.field === "pattern" ? "invalid_pattern" : "invalid_value";
  return { field: found.field, code, message: found.problem };
}

export const contentSafety = z
  .object({ detectors: z.array(detector), updated_at: timestamp.nullable() })
  .meta({ id: "ContentSafety" });
