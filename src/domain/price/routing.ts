import { DAY_MS } from "../../contract/durations.ts";

/** One measured result of a model on a suite. */
export type EvalResult = { suite: string; model: string; score: number; samples: number; runAt: number };

export type RoutingPolicy = {
  candidates: readonly string[];
  evalGate: { suite: string; minScore: number; minSamples: number; maxAgeDays: number };
  prefer: "cheapest" | "best";
  fallbackModel: string | undefined;
};

/** The facts about a model when one is selected. Money is in nano-dollars, for the tokens in question. */
export type Candidate = {
  model: string;
  /** The rule that denies it, holds it for approval, or fails. */
  ruledOut: { ruleId: string; failed: boolean } | undefined;
  regions: readonly string[] | undefined;
  costNanos: bigint | undefined;
  evals: readonly EvalResult[];
};

export type CandidateReport = { model: string; eligible: boolean; why: string };
/** If no model is selected, `barrier` is why the fallback cannot be used, and `failedRule` is a rule that failed. */
export type NoModel = { model: undefined; barrier: string | undefined; failedRule: string | undefined };
type SelectedModel = { model: string; reason: "cheapest" | "best" | "fallback" };
type Selection = (SelectedModel | NoModel) & { considered: CandidateReport[] };

type EligibleCandidate = { candidate: Candidate; costNanos: bigint; bound: number };

/** Two-sided 95 %. */
const Z = 1.96;

/** Wilson's lower bound: a high score from few samples proves little. */
export function lowerBound(score: number, samples: number): number {
  if (samples <= 0) return 0;
  const spread = Z * Math.sqrt((score * (1 - score)) / samples + (Z * Z) / (4 * samples * samples));
  const bound = (score + (Z * Z) / (2 * samples) - spread) / (1 + (Z * Z) / samples);
  return Math.min(Math.max(bound, 0), score);
}

/**
 * The cheapest or the best model that passes every test. Otherwise the fallback, if policy, region and price allow it.
 */
export function selectModel(
  policy: RoutingPolicy,
  known: readonly Candidate[],
  asked: { region: string | undefined; now: number },
): Selection {
  const considered: CandidateReport[] = [];
  const passed: EligibleCandidate[] = [];
  for (const candidate of known.filter(({ model }) => policy.candidates.includes(model))) {
    const result = examine(policy, candidate, asked);
    considered.push({ model: candidate.model, eligible: "bound" in result, why: result.why });
    if ("bound" in result) passed.push({ candidate, ...result });
  }
  const [first] = passed.sort(policy.prefer === "cheapest" ? byCost : byBound);
  if (first) return { model: first.candidate.model, reason: policy.prefer, considered };
  return { ...fallback(policy, known, asked.region), considered };
}

function fallback(
  policy: RoutingPolicy,
  known: readonly Candidate[],
  region: string | undefined,
): SelectedModel | NoModel {
  const candidate = known.find(({ model }) => model === policy.fallbackModel);
  const barrier = candidate && unusable(candidate, region);
  if (candidate && barrier === undefined) return { model: candidate.model, reason: "fallback" };
  const failedRule = known.find(({ ruledOut }) => ruledOut?.failed === true)?.ruledOut?.ruleId;
  return { model: undefined, barrier, failedRule };
}

function examine(
  { evalGate }: RoutingPolicy,
  candidate: Candidate,
  { region, now }: { region: string | undefined; now: number },
): { why: string } | { why: string; bound: number; costNanos: bigint } {
  const barrier = unusable(candidate, region);
  if (barrier !== undefined) return { why: barrier };
  const latest = latestEval(candidate, evalGate.suite, now);
  if (!latest) return { why: `no eval on suite ${evalGate.suite}` };
  const ageDays = (now - latest.runAt) / DAY_MS;
  if (ageDays > evalGate.maxAgeDays) {
    return { why: `last evaluated ${Math.floor(ageDays)} days ago; at most ${evalGate.maxAgeDays}` };
  }
  if (latest.samples < evalGate.minSamples) {
    return { why: `evaluated on ${latest.samples} samples; at least ${evalGate.minSamples}` };
  }
  const bound = lowerBound(latest.score, latest.samples);
  const said = `lower bound ${bound.toFixed(4)} of score ${latest.score} on ${latest.samples} samples`;
  if (bound < evalGate.minScore) return { why: `${said} is under ${evalGate.minScore}` };
  return { why: `${said} meets ${evalGate.minScore}`, bound, costNanos: candidate.costNanos ?? 0n };
}

/** Reasons that exclude the fallback too. */
function unusable(candidate: Candidate, region: string | undefined): string | undefined {
  const { ruledOut } = candidate;
  if (ruledOut?.failed === true) return `policy ${ruledOut.ruleId} failed`;
  if (ruledOut !== undefined) return `blocked by policy ${ruledOut.ruleId}`;
  if (candidate.costNanos === undefined) return "no price";
  const { regions } = candidate;
  if (region !== undefined && regions !== undefined && !regions.includes(region)) {
    return `not served in region ${region}`;
  }
  return undefined;
}

/** A result dated in the future proves nothing yet. */
function latestEval({ model, evals }: Candidate, suite: string, now: number): EvalResult | undefined {
  return evals
    .filter((one) => one.model === model && one.suite === suite && one.runAt <= now)
    .reduce<EvalResult | undefined>((best, one) => (best && best.runAt > one.runAt ? best : one), undefined);
}

function byCost(left: EligibleCandidate, right: EligibleCandidate): number {
  if (left.costNanos !== right.costNanos) return left.costNanos < right.costNanos ? -1 : 1;
  return right.bound - left.bound;
}

function byBound(left: EligibleCandidate, right: EligibleCandidate): number {
  return right.bound - left.bound || (left.costNanos < right.costNanos ? -1 : 1);
}
