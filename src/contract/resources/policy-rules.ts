import * as z from "zod";
import { tokens } from "./runs/runs.ts";
import { callerId, idShape } from "../ids.ts";
import { EFFECTS, MODES, TARGETS } from "../lists.ts";
import { timestamp, usdInput } from "../shapes.ts";

export const policyRule = z
  .object({
    id: idShape("rule"),
    target: z
      .enum(["model", "action"])
      .meta({ description: "What the rule applies to, and what a refusal names in `attempted`." }),
    effect: z.enum(["allow", "deny", "require_approval"]),
    when: z.string().meta({
      description: "A CEL expression over `run`, `model`, `action`, `customer_id`, `estimate` and `now`.",
    }),
    reason: z.string(),
    priority: z.int().meta({
      description: "Among matching rules with the same effect, the one with the highest priority is named.",
    }),
    mode: z.enum(["enforce", "shadow"]),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "PolicyRule" });
export type PolicyRuleResource = z.output<typeof policyRule>;

export const policyEvaluation = z
  .object({
    decision: z.enum(["allow", "deny", "require_approval", "error"]),
    rule_id: z.string().nullable().meta({ description: "The rule that decided. Null if none matched." }),
    reason: z.string().nullable(),
    attempted: z.string(),
    message: z.string().nullable().meta({ description: "Why a rule could not be evaluated." }),
    rules: z.array(
      z.object({
        rule_id: z.string(),
        effect: policyRule.shape.effect,
        mode: policyRule.shape.mode,
        priority: z.int(),
        result: z.enum(["matched", "not_matched", "not_applicable", "error"]),
        message: z.string().nullable(),
      }),
    ),
    evaluated_at: timestamp,
  })
  .meta({ id: "PolicyEvaluation" });

const ruleFields = {
  target: z.enum(TARGETS),
  effect: z.enum(EFFECTS),
  when: z
    .string()
    .min(1)
    .meta({ description: "A CEL expression that is true or false.", examples: ['model == "acme/m1"'] }),
  reason: z.string().min(1).max(500),
  priority: z.int().min(-1_000_000).max(1_000_000),
  mode: z.enum(MODES),
};

export const policyInput = z.strictObject({
  model: callerId.optional(),
  action: callerId.optional(),
  customer_id: callerId.optional(),
  estimate: z
    .strictObject({
      cost_usd: usdInput.optional(),
      input_tokens: tokens.optional(),
      max_output_tokens: tokens.optional(),
    })
    .optional(),
  run: z
    .looseObject({
      model: callerId.optional(),
      action: callerId.optional(),
      customer_id: callerId.optional(),
      cost_usd: usdInput.optional(),
      usage: z.looseObject({ input_tokens: tokens.optional(), output_tokens: tokens.optional() }).optional(),
    })
    .optional(),
});

export const newPolicyRule = z.strictObject({
  ...ruleFields,
  priority: ruleFields.priority.default(0),
  mode: ruleFields.mode.default("enforce"),
});
export type NewPolicyRule = z.output<typeof newPolicyRule>;

export const policyRuleChange = z.strictObject(ruleFields).partial();
export type PolicyRuleChange = z.output<typeof policyRuleChange>;
