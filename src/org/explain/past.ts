import type { ExplainedCheck } from "../../contract/resources/explain.ts";
import { formatInZone } from "../../domain/time/zone.ts";
import type { StoredRefusal } from "../refusals/find.ts";
import { type Amounts, type Candidate, type CheckName, judgeChecks, NO_AMOUNTS } from "./check.ts";
import { type Details, whyRefused } from "./why-refused.ts";

const CHECK_OF_CODE: Readonly<Record<string, CheckName>> = {
  rate_limited: "rate_limit",
  policy_blocked: "policy",
  policy_approval_required: "policy",
  policy_expression_error: "policy",
  content_safety_blocked: "content_safety",
  plan_limit_exceeded: "plan",
  chain_budget_exceeded: "chain",
  spend_cap_exceeded: "spend_cap",
  credits_exhausted: "credits",
};

/** Checks before the one that refused had passed. All others use the current limits. */
export function judgePastChecks(candidates: readonly Candidate[], refusal: StoredRefusal): ExplainedCheck[] {
  const refusing = refusedCandidate(refusal);
  const known = candidates.findIndex(({ check, id }) => check === refusing.check && id === refusing.id);
  const place = known >= 0 ? known : candidates.findLastIndex(({ check }) => check === refusing.check) + 1;
  const before = candidates
    .slice(0, place)
    .filter(({ check, id }) => id !== null || check !== refusing.check);
  const after = candidates.slice(known >= 0 ? place + 1 : place);
  const name = candidates[known]?.name ?? null;
  return judgeChecks([...before.map(passCheck), { ...refusing, name }, ...after.map(passCheck)]);
}

/** All of them had room. */
export function passPastChecks(candidates: readonly Candidate[]): ExplainedCheck[] {
  return judgeChecks(candidates.map(passCheck));
}

export function passCheck(candidate: Candidate): Candidate {
  return candidate.passes === null ? candidate : { ...candidate, passes: true, why: "It did not refuse." };
}

function refusedCandidate(refusal: StoredRefusal): Candidate {
  const details = JSON.parse(refusal.details) as Details;
  return {
    check: checkOf(refusal.code, details),
    id: refusal.limit,
    name: null,
    passes: false,
    why: whyRefused(refusal, details),
    amounts: amountsThen(details, refusal.at),
  };
}

function checkOf(code: string, details: Details): CheckName {
  if (code === "quota_exhausted") return details["quota"] === "window" ? "rate_limit" : "quota";
  if (code === "budget_exceeded") return details["scope_kind"] === "customer" ? "customer_limit" : "budget";
  return CHECK_OF_CODE[code] ?? "budget";
}

/** The end of a period is in UTC. A reset has the offset of the limit's time zone already. */
function resetTimeOf(said: unknown): string | null {
  if (typeof said !== "string") return null;
  return said.endsWith("Z") ? formatInZone("UTC", Date.parse(said)) : said;
}

function amountsThen(details: Details, at: number): Amounts {
  const first = (...names: string[]) =>
    names.map((name) => details[name]).find((value) => value !== undefined) ?? null;
  const resetsAt = first("resets_at", "period_end");
  // A limit that counts something else says nothing in dollars.
  const dollars = details["unit"] === undefined ? ["limit_usd", "spent_usd"] : [];
  return {
    ...NO_AMOUNTS,
    limit: first(...dollars.slice(0, 1), "cap_usd", "limit"),
    spent: first(...dollars.slice(1), "spent", "used", "current"),
    available: first("available_usd"),
    resets_at: resetTimeOf(resetsAt),
    as_of: new Date(at).toISOString(),
  };
}
