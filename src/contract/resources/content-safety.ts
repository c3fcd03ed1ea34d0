import * as z from "zod";
import { hasWithoutKind, timestamp } from "../shapes.ts";
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
