import { z } from "zod";
import { idShape } from "./ids.ts";
import { timestamp, usd } from "./shapes.ts";

export const policyRule = z
  .object({
    id: idShape("rule"),
    target: z
      .enum(["model", "action"])
      .meta({ description: "What the rule is about, and what a refusal names." }),
    effect: z.enum(["allow", "deny", "require_approval"]),
    when: z.string().meta({ description: "CEL over run, model, action, customer_id, estimate and now." }),
    reason: z.string(),
    priority: z.int().meta({ description: "Among matching rules of one effect, the highest is named." }),
    mode: z.enum(["enforce", "shadow"]),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "PolicyRule" });
export type PolicyRuleResource = z.output<typeof policyRule>;

export const policyEvaluation = z
  .object({
    decision: z.enum(["allow", "deny", "require_approval", "error"]),
    rule_id: z.string().nullable().meta({ description: "The rule that decided; null when none matched." }),
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

export const APPROVAL_STATUSES = ["pending", "approved", "used", "denied", "expired"] as const;

export const approval = z
  .object({
    id: idShape("apr"),
    rule_id: z.string(),
    status: z.enum(APPROVAL_STATUSES),
    reason: z.string(),
    attempted: z.string(),
    attempt: z.object({
      model: z.string(),
      action: z.string().nullable(),
      customer_id: z.string().nullable(),
      cost_usd: usd,
      input_tokens: z.int(),
      output_tokens: z.int(),
    }),
    requested_by: z.string(),
    requested_at: timestamp,
    expires_at: timestamp,
    decided_by: z.string().nullable(),
    decided_at: timestamp.nullable(),
    used_at: timestamp.nullable(),
  })
  .meta({ id: "Approval" });
export type ApprovalResource = z.output<typeof approval>;
