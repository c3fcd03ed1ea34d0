import * as z from "zod";
import { freeForm, hasWithoutKind, timestamp } from "../shapes.ts";
import { DETECTOR_ACTIONS, MOST_DETECTORS } from "../lists.ts";

const id = z.string().regex(/^[a-z0-9_]{1,64}$/, "must be 1 to 64 characters of a-z, 0-9 and _");
const action = z.enum(DETECTOR_ACTIONS);

const detector = z
  .discriminatedUnion("kind", [
    z.strictObject({ id, kind: z.literal("builtin"), action }),
    z.strictObject({
      id,
      kind: z.literal("pattern"),
      pattern: z.string().min(1).meta({ description: "RE2 syntax. Matching takes linear time." }),
      action,
    }),
  ])
  .refine(...hasWithoutKind("id"))
  .refine(...hasWithoutKind("action"));

export const newContentSafety = z.strictObject({ detectors: z.array(detector).max(MOST_DETECTORS) });
export type NewContentSafety = z.output<typeof newContentSafety>;

export const contentSafety = z
  .object({ detectors: z.array(detector), updated_at: timestamp.nullable() })
  .meta({ id: "ContentSafety" });
export type ContentSafety = z.output<typeof contentSafety>;

export const safetyInput = z.strictObject({
  input: z
    .union([z.string(), z.array(z.unknown()), freeForm], { error: "must be a string, a list or an object" })
    .meta({ description: "As in the `input` of a run.", examples: ["Write to ada@example.com"] }),
});

export const safetyEvaluation = z
  .object({
    decision: z.enum(["allow", "block"]),
    detectors: z.array(
      z.object({
        id: z.string(),
        kind: z.enum(["builtin", "pattern"]),
        action,
        result: z.enum(["found", "nothing", "unfinished"]).meta({
          description:
            "`unfinished`: the input needs more work than one run may do. A detector that blocks then blocks.",
        }),
        sample: z.string().nullable().meta({ description: "What it found." }),
      }),
    ),
  })
  .meta({ id: "SafetyEvaluation" });
export type SafetyEvaluation = z.output<typeof safetyEvaluation>;
