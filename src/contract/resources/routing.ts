import * as z from "zod";
import { tokens } from "./runs/runs.ts";
import { timestamp, timestampInput } from "../shapes.ts";

export const routedModel = z.string().min(1).max(200);
const suite = z.string().min(1).max(128);

export const routingPolicyFields = {
  candidates: z.array(routedModel).min(1).max(50),
  eval_gate: z.strictObject({
    suite,
    min_score: z
      .number()
      .min(0)
      .max(1)
      .meta({ description: "The lower confidence bound of the score must reach this." }),
    min_samples: z.int().min(1).max(1_000_000_000),
    max_age_days: z.int().min(1).max(3_650),
  }),
  prefer: z.enum(["cheapest", "best"]),
  fallback_model: routedModel.optional().meta({ description: "Used when no candidate passes." }),
};

export const routingPolicy = z
  .object({ ...routingPolicyFields, updated_at: timestamp })
  .meta({ id: "RoutingPolicy" });
export type RoutingPolicyResource = z.output<typeof routingPolicy>;

export const evalFields = {
  suite,
  model: routedModel,
  score: z.number().min(0).max(1),
  samples: z.int().min(1).max(1_000_000_000),
};

export const evalResult = z
  .object({ ...evalFields, run_at: timestamp, created_at: timestamp })
  .meta({ id: "EvalResult" });
export type EvalResource = z.output<typeof evalResult>;

export const selectionAsk = z.strictObject({
  input_tokens: tokens.optional().meta({ description: "Default: 1000." }),
  max_output_tokens: tokens.optional().meta({ description: "Default: 4096." }),
  region: z.string().min(1).max(64).optional().meta({ description: "Omit to allow any region." }),
});

export const selection = z
  .object({
    model: z.string(),
    reason: z.enum(["cheapest", "best", "fallback"]),
    considered: z.array(z.object({ model: z.string(), eligible: z.boolean(), why: z.string() })),
  })
  .meta({ id: "RoutingSelection" });
export type RoutingSelection = z.output<typeof selection>;

export const newEval = z.strictObject({ ...evalFields, run_at: timestampInput });

export const newRoutingPolicy = z.strictObject({
  ...routingPolicyFields,
  candidates: routingPolicyFields.candidates.refine((models) => new Set(models).size === models.length, {
    message: "must not name a model twice",
    params: { code: "duplicate" },
  }),
});
export type NewRoutingPolicy = z.output<typeof newRoutingPolicy>;
