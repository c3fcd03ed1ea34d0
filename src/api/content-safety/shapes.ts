import { z } from "zod";
import { timestamp } from "../../contract/shapes.ts";
import { DETECTOR_ACTIONS, detectorProblems, MOST_DETECTORS } from "../../domain/safety.ts";

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
    const ids = detectors.map(({ id: one }) => one);
    for (const [index, found] of detectorProblems(detectors).entries()) {
      const isTaken = ids.indexOf(ids[index] ?? "") < index;
      const problem = isTaken ? TAKEN : found && { ...found, code: CODES[found.field] };
      if (problem === undefined) continue;
      const { field, code, problem: message } = problem;
      context.addIssue({ code: "custom", path: [index, field], message, params: { code } });
    }
  });

const TAKEN = { field: "id", code: "duplicate", problem: "is the id of another detector" };
const CODES = { id: "invalid_value", pattern: "invalid_pattern" } as const;

export const contentSafety = z
  .object({ detectors: z.array(detector), updated_at: timestamp.nullable() })
  .meta({ id: "ContentSafety" });
