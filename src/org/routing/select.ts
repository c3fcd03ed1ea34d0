import { refuse } from "../../contract/refusal.ts";
import { costOf } from "../../domain/price/cost.ts";
import { attemptOf } from "../../domain/policy/attempt.ts";
import type { Allowance } from "../../domain/policy/compile.ts";
import { judge, type PolicySet, withAllowance } from "../../domain/policy/policy.ts";
import { type Candidate, type NoModel, selectModel as choose } from "../../domain/price/routing.ts";
import { oneRunsSteps } from "../../domain/policy/step-budget.ts";
import { query, type View } from "../kernel/door.ts";
import { pricesOf } from "../models/revisions.ts";
import { loadModel, regionsOf } from "../models/store.ts";
import { loadPolicies } from "../policy-rules/store.ts";
import { latestEval } from "./evals.ts";
import { loadRoutingPolicy } from "./policy.ts";

type SelectionRequest = {
  readonly inputTokens: number;
  readonly maxOutputTokens: number;
  readonly region: string | undefined;
};

/** The model that a call should use now, and why not the others. */
export const selectModel = query({
  refuses: ["conflict", "no_model_passes_eval", "policy_expression_error"],
  models: (_asked: SelectionRequest, view) =>
    modelsIn(loadRoutingPolicy(view.sql)).map((model) => ({ model })),
  run(view, asked: SelectionRequest) {
    const stored = loadRoutingPolicy(view.sql);
    if (stored === null) {
      return refuse("conflict", {}, { message: "This organization has no routing policy. Set one first." });
    }
    const { candidates, eval_gate: gate, prefer, fallback_model: fallbackModel } = stored;
    const models = modelsIn(stored);
    const policies = loadPolicies(view);
    // One call's work is shared by all candidates: a rule that is too costly for them counts as a rule that fails.
    const known = withAllowance(oneRunsSteps().enforced, (allowance) =>
      models.map((model) => candidateOf(view, { policies, allowance }, { model, suite: gate.suite, asked })),
    );
    const evalGate = {
      suite: gate.suite,
      minScore: gate.min_score,
      minSamples: gate.min_samples,
      maxAgeDays: gate.max_age_days,
    };
    const policy = { candidates, evalGate, prefer, fallbackModel };
    const selection = choose(policy, known, { region: asked.region, now: view.now });
    return selection.model === undefined ? noModel(selection, fallbackModel) : selection;
  },
});

function modelsIn(policy: ReturnType<typeof loadRoutingPolicy>): string[] {
  if (policy === null) return [];
  const { candidates, fallback_model: fallbackModel } = policy;
  return [...new Set([...candidates, ...(fallbackModel === undefined ? [] : [fallbackModel])])];
}

/** A model excluded by a failing rule might have been the right one, so it is neither selected nor rejected. */
function noModel({ barrier, failedRule }: NoModel, fallbackModel: string | undefined) {
  if (failedRule !== undefined) return refuse("policy_expression_error", { rule_id: failedRule });
  if (barrier === undefined) return refuse("no_model_passes_eval");
  const message = `No eligible model meets the configured minimum eval score, and the fallback model '${fallbackModel}' cannot be used: ${barrier}.`;
  return refuse("no_model_passes_eval", {}, { message });
}

interface Considered {
  readonly model: string;
  readonly asked: SelectionRequest;
}

type PolicyJudge = { policies: PolicySet; allowance: Allowance };

function candidateOf(
  view: View,
  judging: PolicyJudge,
  { model, suite, asked }: Considered & { readonly suite: string },
): Candidate {
  const row = loadModel(view.sql, model);
  const revision = pricesOf(view.sql, { model }).at(view.now, view.now);
  const usage = { input_tokens: asked.inputTokens, output_tokens: asked.maxOutputTokens };
  const cost = revision === null ? undefined : costOf(revision.price, usage);
  return {
    model,
    ruledOut: ruledOut(view, judging, { model, asked, cost: typeof cost === "bigint" ? cost : 0n }),
    regions: regionsOf(row) ?? undefined,
    costNanos: typeof cost === "bigint" ? cost : undefined,
    evals: latestEval(view.sql, suite, model, view.now),
  };
}

/** A model that a rule denies, holds for approval or fails on cannot be selected. */
function ruledOut(
  view: View,
  { policies, allowance }: PolicyJudge,
  { model, asked, cost }: Considered & { readonly cost: bigint },
): Candidate["ruledOut"] {
  const usage = { input_tokens: asked.inputTokens, output_tokens: asked.maxOutputTokens };
  const verdict = judge(policies, attemptOf({ model, usage }, cost), view.now, { allowance });
  if (verdict.verdict === "allow") return undefined;
  return { ruleId: verdict.ruleId, failed: verdict.verdict === "error" };
}
