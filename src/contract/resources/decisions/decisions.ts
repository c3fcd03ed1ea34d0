import * as z from "zod";
import {
  DECISION,
  DECISION_FIELDS,
  DEFAULT_OUTPUT_TOKENS,
  ESTIMATE_FIELDS,
  isPriced,
  leastOutputProblem,
  MOST_ASKS,
  NO_AMOUNT,
  NO_MODEL,
} from "../../decision.ts";
import { withRule } from "../../field-rules.ts";
import { SAFE_ID, SAFE_ID_TEXT } from "../../bounds.ts";
import { callerId, idShape } from "../../ids.ts";
import { DECISION_CHECKS, EXPIRY_ACTIONS } from "../../lists.ts";
import { byPriceName } from "../../price-names.ts";
import { timestamp, usd, usdInput } from "../../shapes.ts";
import { MOST_UNITS } from "../../token-classes.ts";
import { attribution } from "./attribution.ts";
import { modelName } from "../usage/dimension-shape.ts";
import { chain, denial, tokens } from "../runs/runs.ts";

/** The schema of each kind of field. */
function shapesOf<
  Kind extends string,
  Fields extends Record<string, Kind>,
  Shapes extends Record<Kind, z.ZodType>,
>(fields: Fields, shapes: Shapes) {
  const entries = Object.entries(fields).map(([name, kind]) => [name, shapes[kind]] as const);
  return Object.fromEntries(entries) as { [Name in keyof Fields]: Shapes[Fields[Name]] };
}

const { holdSeconds, someTokens } = DECISION;

export const leastTokens = z.int().min(someTokens.least).max(someTokens.most);
const seconds = z.int().min(holdSeconds.least).max(holdSeconds.most);

export const LEAST_OUTPUT = {
  invalid_value: "must not be given with cost_usd, which is reserved as it is",
  out_of_range: `must be at most max_output_tokens, which is ${DEFAULT_OUTPUT_TOKENS} if omitted`,
};

export const estimatedUnits = byPriceName(tokens, MOST_UNITS).meta({
  description:
    "The most of each unit that the call may use beside tokens, such as `web_search`. They are reserved at the price of the unit.",
});

const estimate = withRule(
  z.strictObject(
    shapesOf(ESTIMATE_FIELDS, {
      usd: usdInput.optional(),
      tokens: tokens.optional(),
      someTokens: leastTokens.optional(),
      units: estimatedUnits.optional(),
    }),
  ),
  (given, { complain, isWrong }) => {
    const code = isWrong("max_output_tokens") ? null : leastOutputProblem(given);
    if (code !== null) complain(["min_output_tokens"], code, LEAST_OUTPUT[code]);
  },
);

const askFields = z.strictObject({
  ...shapesOf(DECISION_FIELDS, {
    id: callerId.optional(),
    model: modelName.optional(),
    estimate,
    seconds: seconds.optional(),
    flag: z.boolean().optional(),
    checks: z.enum(DECISION_CHECKS).optional().meta({
      description:
        "`all` checks everything that can refuse a run, in the same order and with the same codes. If omitted, your organization's default applies.",
    }),
    anything: z.unknown().optional().meta({
      description: "Scanned by content safety detectors with `checks: all`. Never stored.",
    }),
    expiry: z.enum(EXPIRY_ACTIONS).optional().meta({
      description:
        "What becomes of the reservation if nobody settles it. `charge`: it becomes a run of its amount, until the run itself is reported. If omitted, your organization's default applies.",
    }),
  }),
  chain: chain.optional(),
  approval_id: z.string().regex(SAFE_ID, SAFE_ID_TEXT).optional(),
  ...attribution,
});

/**
 * The body of `POST /v1/edge/decision`. The decision itself refuses an estimate that cannot be priced; where the body is
 * refused for something else, that is reported with it.
 */
export const decisionAsk = withRule(askFields, (ask, { complain, isRefused, isWrong }) => {
  if (!isRefused || ask.estimate === undefined || isWrong("estimate")) return;
  if (ask.estimate.cost_usd !== undefined) return;
  if (!isPriced(ask.estimate)) complain(["estimate", "cost_usd"], "required", NO_AMOUNT);
  else if (ask.model === undefined && !isWrong("model")) complain(["model"], "required", NO_MODEL);
});
export type DecisionAsk = z.output<typeof decisionAsk>;

const reservation = z.object({ id: idShape("rsv"), amount_usd: usd, expires_at: timestamp });
/** As a decision makes it. */
const newReservation = reservation.extend({
  max_output_tokens: z.int().optional().meta({
    description:
      "How many output tokens the amount is for. Only if the estimate has `min_output_tokens`: make the call with this bound.",
  }),
});

export const reservationRenewal = z.strictObject({
  hold_seconds: seconds.optional().meta({ description: "From now on. If omitted: 60." }),
  amount_usd: usdInput
    .optional()
    .meta({ description: "A higher amount is checked like a decision. If omitted, the amount stays." }),
});
export type ReservationRenewal = z.output<typeof reservationRenewal>;

export const renewedReservation = z.object({ reservation });

export const verdict = z
  .object({
    decision: z.enum(["allow", "deny"]).meta({ description: "`deny` is returned only for a dry run." }),
    decision_id: idShape("dec"),
    reservation: newReservation.nullable().meta({ description: "The reserved amount. Null for a dry run." }),
    max_output_tokens: z.int().optional().meta({
      description:
        "How many output tokens would fit. Only of a dry run that is allowed and whose estimate has `min_output_tokens`.",
    }),
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

/** Many asks, each judged by itself, in order. */
export const decisionAsks = z.strictObject({ asks: z.array(decisionAsk).min(1).max(MOST_ASKS) });

const refusedAsk = z.object({
  error: z.object({ code: z.string(), message: z.string(), details: z.record(z.string(), z.unknown()) }),
});

export const verdicts = z.object({
  results: z
    .array(z.union([verdict, refusedAsk]))
    .meta({ description: "In the order of the asks: a verdict, or the error of the ask." }),
});
export type Verdicts = z.output<typeof verdicts>;
