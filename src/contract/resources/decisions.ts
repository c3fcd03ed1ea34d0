import * as z from "zod";
import { DECISION, DECISION_FIELDS, ESTIMATE_FIELDS } from "../decision.ts";
import { callerId, idShape, SAFE_ID } from "../ids.ts";
import { DECISION_CHECKS } from "../lists.ts";
import { timestamp, usd, usdInput } from "../shapes.ts";
import { attribution } from "./attribution.ts";
import { chain, denial, modelName, tokens } from "./runs.ts";

/** The schema of each kind of field. */
function shapesOf<
  Kind extends string,
  Fields extends Record<string, Kind>,
  Shapes extends Record<Kind, z.ZodType>,
>(fields: Fields, shapes: Shapes) {
  const entries = Object.entries(fields).map(([name, kind]) => [name, shapes[kind]] as const);
  return Object.fromEntries(entries) as { [Name in keyof Fields]: Shapes[Fields[Name]] };
}

const { holdSeconds } = DECISION;

const estimate = z.strictObject(
  shapesOf(ESTIMATE_FIELDS, { usd: usdInput.optional(), tokens: tokens.optional() }),
);

/** The body of `POST /v1/edge/decision`. */
export const decisionAsk = z.strictObject({
  ...shapesOf(DECISION_FIELDS, {
    id: callerId.optional(),
    model: modelName.optional(),
    estimate,
    seconds: z.int().min(holdSeconds.least).max(holdSeconds.most).optional(),
    flag: z.boolean().optional(),
  }),
  checks: z.enum(DECISION_CHECKS).optional().meta({
    description:
      "`all` checks everything that can refuse a run, in the same order and with the same codes. If omitted, your organization's default applies.",
  }),
  chain: chain.optional(),
  input: z.unknown().optional().meta({
    description: "Scanned by content safety detectors with `checks: all`. Never stored.",
  }),
  approval_id: z.string().regex(SAFE_ID).optional(),
  ...attribution,
});
export type DecisionAsk = z.output<typeof decisionAsk>;

export const verdict = z
  .object({
    decision: z.enum(["allow", "deny"]).meta({ description: "`deny` is returned only for a dry run." }),
    decision_id: idShape("dec"),
    reservation: z
      .object({ id: idShape("rsv"), amount_usd: usd, expires_at: timestamp })
      .nullable()
      .meta({ description: "The reserved amount. Null for a dry run." }),
    limits: z.array(
      z.object({
        kind: z.string(),
        id: z.string(),
        available_usd: usd.optional(),
        available: z.number().optional(),
      }),
    ),
    would_deny: denial.nullable().optional(),
    shadow: z
      .array(denial)
      .optional()
      .meta({ description: "Limits in shadow mode that would have refused." }),
    evaluated_at: timestamp,
  })
  .meta({ id: "Verdict" });
export type Verdict = z.output<typeof verdict>;
