import { CHECK_NAMES } from "../../contract/lists.ts";
import { admit } from "../../domain/meter/admission.ts";
import { METERS, type Phase } from "../../contract/meter-kinds.ts";
import { groupIn } from "../../domain/refusal/limit-denials.ts";
import type { Account } from "../../domain/meter/meter.ts";
import { rateAmount, rateMetersFor, formatPolicyAmount } from "../../domain/rate/policy.ts";
import { namesIn } from "../../domain/meter/limit-set.ts";
import type { View } from "../kernel/door.ts";
import { readInParts } from "../../storage/json-rows.ts";
import { UnitOfWork } from "../ledger/unit-of-work.ts";
import {
  amountsOf,
  type Candidate,
  CHECK_OF,
  type CheckName,
  type CheckOutcome,
  NO_AMOUNTS,
  rateAmounts,
  describeAmount,
} from "./check.ts";
import { policyCandidates } from "./policies.ts";
import { safetyCandidates } from "./safety.ts";
import { ONLY_WITH_ALL, type Subject } from "./subject.ts";

const NOT_SET: Readonly<Record<CheckName, string>> = {
  rate_limit: "No rate-limit policy matches.",
  policy: "The organization has no policy rules.",
  content_safety: "The organization has no detectors.",
  plan: "The plan has no limit.",
  chain: "No chain is named, or the organization has no chain budget.",
  quota: "The organization is not prepaid.",
  spend_cap: "The organization has no spend cap.",
  budget: "No budget matches.",
  customer_limit: "No customer is named, or no limit applies to it.",
  credits: "No customer is named, or it has no live credit pack.",
};

/** Every check in order: those that apply, and for each kind without any, one that does not apply. */
export function candidatesFor(view: View, subject: Subject): Candidate[] {
  const found = [
    ...rateCandidates(view, subject),
    ...policyCandidates(view, subject),
    ...safetyCandidates(view, subject),
    ...limitCandidates(view, subject),
  ];
  return CHECK_NAMES.flatMap((check) => {
    const own = found.filter((one) => one.check === check);
    return own.length > 0 ? own : [absent(check)];
  });
}

function absent(check: CheckName): Candidate {
  return { check, id: null, name: null, passes: null, why: NOT_SET[check], amounts: NO_AMOUNTS };
}

function rateCandidates(view: View, { route, keyId, scopes, attempt }: Subject): Candidate[] {
  const book = view.rates();
  const meters = rateMetersFor(book.policies(), { route, keyId, names: namesIn(scopes) });
  return meters.map((meter) => {
    const { id, name, unit } = meter.policy;
    const amount = rateAmount(meter.policy, { nanos: Number(attempt.nanos), tokens: attempt.tokens });
    const taken = unit === "usd" ? `$${formatPolicyAmount(meter.policy, amount)}` : `${amount} ${unit}`;
    const standing = book.standing(meter, amount);
    const passes = standing.waitMs === 0;
    const why = passes
      ? `There is room for ${taken}.`
      : `There is no room for ${taken}; there is in ${Math.ceil(standing.waitMs / 1000)} s.`;
    return { check: "rate_limit", id, name, passes, why, amounts: rateAmounts(meter, standing, view.now) };
  });
}

/** Uses the limits of a run, which include all of them. */
function limitCandidates(view: View, subject: Subject): Candidate[] {
  const work = new UnitOfWork(view.sql, "run", view.now);
  const accounts = work.accounts({ scopes: subject.scopes, atMs: view.now });
  const limited = accounts.filter(({ meter }) => meter.limit !== null);
  const names = namesOf(
    view.sql,
    limited.map(({ meter }) => meter.id),
  );
  return limited.map((account) => ({
    check: CHECK_OF[account.meter.kind],
    id: account.meter.id,
    name: names.get(account.meter.id) ?? null,
    ...ofGroup(account, judgement(account, subject)),
    amounts: amountsOf(account, view.now),
  }));
}

/** Returns which of a limit's counters was looked at. */
function ofGroup(account: Account, judged: CheckOutcome) {
  const { group } = groupIn(account);
  if (group === undefined) return judged;
  return { ...judged, why: `${judged.why} It counts ${group ?? "calls without a value"} apart.` };
}

function judgement(account: Account, { attempt, phase }: Subject): CheckOutcome {
  const { meter } = account;
  if (!isAsked(METERS[meter.kind].phases, phase)) return { passes: null, why: ONLY_WITH_ALL };
  const taken = describeAmount(meter, attempt);
  const { refusedBy, shadow } = admit([account], attempt);
  if (refusedBy !== null) return { passes: false, why: `There is no room for ${taken}.` };
  if (shadow.length > 0) {
    return { passes: true, why: `There is no room for ${taken}, but the limit is in shadow mode.` };
  }
  if (meter.mode === "count") return { passes: true, why: "It counts, and refuses nothing." };
  return { passes: true, why: `There is room for ${taken}.` };
}

function isAsked(phases: readonly Phase[], phase: Phase): boolean {
  return phases.includes(phase);
}

function namesOf(sql: SqlStorage, ids: readonly string[]): Map<string, string | null> {
  const rows = readInParts(ids, (json) =>
    sql.exec<{ id: string; name: string | null }>(
      "SELECT id, extra ->> 'name' AS name FROM meters WHERE id IN (SELECT value FROM json_each(?))",
      json,
    ),
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}
