import { refuse } from "../../contract/refusal.ts";
import { costOfTokensRoundedUp } from "../../domain/money.ts";
import { attemptOf } from "../../domain/policy-attempt.ts";
import { judge, type PolicySet } from "../../domain/policy.ts";
import { type Candidate, selectModel as choose } from "../../domain/routing.ts";
import { query, type View } from "../door.ts";
import { loadModel, priceOf } from "../models/store.ts";
import { loadPolicies } from "../policies/store.ts";
import { latestEval } from "./evals.ts";
import { loadRoutingPolicy } from "./policy.ts";

type Asked = {
  readonly inputTokens: number;
  readonly maxOutputTokens: number;
  readonly region: string | undefined;
};

/** The model that a call should use now, and why not the others. */
export const selectModel = query({
  refuses: ["conflict", "no_model_passes_eval"],
  run(view, asked: Asked) {
    const stored = loadRoutingPolicy(view.sql);
    if (stored === null) {
      return refuse("conflict", {}, { message: "This organization has no routing policy. Set one first." });
    }
    const { candidates, eval_gate: gate, prefer, fallback_model: fallbackModel } = stored;
    const models = [...new Set([...candidates, ...(fallbackModel === undefined ? [] : [fallbackModel])])];
    const policies = loadPolicies(view);
    const known = models.map((model) => candidateOf(view, policies, model, gate.suite, asked));
    const evalGate = {
      suite: gate.suite,
      minScore: gate.min_score,
      minSamples: gate.min_samples,
      maxAgeDays: gate.max_age_days,
    };
    const policy = { candidates, evalGate, prefer, fallbackModel };
    const { model, reason, considered } = choose(policy, known, { region: asked.region, now: view.now });
    return model === undefined ? refuse("no_model_passes_eval") : { model, reason, considered };
  },
});

function candidateOf(view: View, policies: PolicySet, model: string, suite: string, asked: Asked): Candidate {
  const row = loadModel(view.sql, model);
  const price = priceOf(view.sql, model);
  const cost =
    price === null ? undefined : costOfTokensRoundedUp(asked.inputTokens, asked.maxOutputTokens, price);
  return {
    model,
    blockedBy: blockedBy(view, policies, model, asked, cost ?? 0n),
    regions: row === null || row.regions === null ? undefined : (JSON.parse(row.regions) as string[]),
    costNanos: cost,
    evals: latestEval(view.sql, suite, model, view.now),
  };
}

/** A model that would be denied, held for approval or judged by a rule that fails is none to send a call to. */
function blockedBy(
  view: View,
  policies: PolicySet,
  model: string,
  asked: Asked,
  cost: bigint,
): string | undefined {
  const usage = { input_tokens: asked.inputTokens, output_tokens: asked.maxOutputTokens };
  const verdict = judge(policies, attemptOf({ model, usage }, cost), view.now);
  return verdict.verdict === "allow" ? undefined : verdict.ruleId;
}
