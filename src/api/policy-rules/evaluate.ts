import { policyEvaluation, policyInput } from "../../contract/resources/policy-rules.ts";
import { invalidField } from "../../contract/refusal.ts";
import { parseUsd } from "../../domain/price/money.ts";
import { usdNumber } from "../../domain/policy/attempt.ts";
import { operation } from "../../edge/request/operation.ts";

export const evaluatePolicies = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/policy-rules/evaluate",
    summary: "Evaluate the rules without recording a run",
    description:
      "`run` contains other fields that rules read. If `model`, `action` or `customer_id` is omitted, it is taken from `run`.",
    role: "admin",
    scope: "policies:read",
    repeatable: true,
    body: policyInput,
    reply: { 200: policyEvaluation },
    refuses: [],
  },
  async (call) => {
    const { run = {}, estimate = {}, ...named } = call.body;
    const model = named.model ?? run.model;
    if (model === undefined) return invalidField("model", "required", "is required, here or in run");
    const action = named.action ?? run.action;
    const customerId = named.customer_id ?? run.customer_id;
    const cost = estimate.cost_usd ?? run.cost_usd;
    const costUsd = usdNumber(cost === undefined ? 0n : (parseUsd(cost) ?? 0n));
    const { input: _, ...seen } = run;
    return call.org.query("evaluatePolicies", {
      model,
      action,
      customer_id: customerId,
      run: {
        ...seen,
        model,
        action,
        customer_id: customerId,
        ...(cost === undefined ? {} : { cost_usd: costUsd }),
      },
      estimate: {
        costUsd,
        inputTokens: estimate.input_tokens ?? run.usage?.input_tokens ?? 0,
        maxOutputTokens: estimate.max_output_tokens ?? run.usage?.output_tokens ?? 0,
      },
    });
  },
);
