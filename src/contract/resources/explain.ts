import * as z from "zod";
import { withRule } from "../field-rules.ts";
import { SAFE_ID, SAFE_ID_TEXT } from "../bounds.ts";
import { callerId, idShape } from "../ids.ts";
import { CHECK_NAMES } from "../lists.ts";
import { resetTime, timestamp } from "../shapes.ts";
import { decisionAsk } from "./decisions/decisions.ts";
import { keptRefusal } from "./refusals.ts";

const SUBJECTS = ["trace_id", "refusal_id", "reservation_id", "run_id", "ask"] as const;

export const explainBody = withRule(
  z.strictObject({
    trace_id: callerId
      .optional()
      .meta({ description: "The `x-svc-trace-id` of a refusal, or of a recorded run." }),
    refusal_id: idShape("ref").optional().meta({ description: "One refusal, where a trace has several." }),
    reservation_id: z.string().regex(SAFE_ID, SAFE_ID_TEXT).optional(),
    run_id: callerId.optional(),
    ask: decisionAsk.optional().meta({
      description: "Explains what would happen to this decision. Nothing is reserved.",
    }),
  }),
  (question, { complain, isWrong }) => {
    const given = SUBJECTS.filter((name) => question[name] !== undefined || isWrong(name));
    const message = `must have exactly one of ${SUBJECTS.join(", ")}`;
    if (given.length === 0) complain(["trace_id"], "required", message);
    for (const second of given.slice(1)) complain([second], "invalid_body", message);
  },
);
export type ExplainBody = z.output<typeof explainBody>;

const amount = z
  .union([z.string(), z.number()])
  .nullable()
  .meta({ description: "Dollars as a decimal string, or a number of runs, tokens, requests or levels." });

export const explainedCheck = z
  .object({
    check: z.enum(CHECK_NAMES),
    id: z.string().nullable().meta({ description: "The limit, rule or detector. Null if there is none." }),
    name: z.string().nullable(),
    outcome: z.enum(["passed", "refused", "skipped"]),
    why: z.string(),
    limit: amount,
    spent: amount,
    reserved: amount,
    available: amount,
    resets_at: resetTime.nullable(),
    as_of: timestamp.nullable().meta({
      description:
        "When the amounts were read. A check that refused shows the amounts at the refusal. All others show current amounts.",
    }),
  })
  .meta({ id: "ExplainedCheck" });
export type ExplainedCheck = z.output<typeof explainedCheck>;

export const explanation = z
  .object({
    subject: z.enum(SUBJECTS),
    id: z.string().nullable().meta({ description: "What was asked about. Null for an `ask`." }),
    outcome: z.enum(["allowed", "refused"]),
    at: timestamp,
    amount_usd: z.string().nullable(),
    refusal: keptRefusal.nullable().meta({ description: "The refusal, if one is kept." }),
    refusals: z.int().meta({
      description:
        "How many refusals the trace has, at most 1000. Without a `refusal_id`, the first refused run of a batch is explained.",
    }),
    checks: z
      .array(explainedCheck)
      .meta({ description: "Every check, in the order in which they are made." }),
  })
  .meta({ id: "Explanation" });
export type Explanation = z.output<typeof explanation>;
