import { invalidField, isRefusal, type Refusal } from "../../contract/refusal.ts";
import type { Phase } from "../../contract/meter-kinds.ts";
import { toCheckedRun } from "../../domain/run/checked-run.ts";
import type { Attempt } from "../../domain/refusal/limit-denials.ts";
import { type Scopes, scopesOf } from "../../domain/meter/limit-set.ts";
import { oneRunsSteps } from "../../domain/policy/step-budget.ts";
import { chargesOnExpiry, checksAll, type DecisionAsk, tokensOf } from "../../gate/decision/ask.ts";
import { loadApproval } from "../approvals/store.ts";
import { usualExpiryOf } from "../keys/holder.ts";
import { keyOf } from "../kernel/actor-key.ts";
import type { Tx } from "../kernel/door.ts";
import type { Finding } from "../kernel/finding.ts";
import { loadPolicies } from "../policy-rules/store.ts";
import type { CHECK_CODES } from "../../contract/limit-codes.ts";
import { runChecks } from "../checks/checks.ts";
import { chainDepth } from "../checks/depth.ts";
import { writeHoldRequest } from "./hold-request.ts";

type CheckCode = (typeof CHECK_CODES)[number];

/** An ask with the amounts that it takes from each limit, and the checks that can refuse it before they do. */
export interface CheckedRequest {
  /** The phase whose limits are checked. */
  readonly phase: Phase;
  readonly attempt: Attempt;
  readonly scopes: Scopes;
  /** Returns what the checks before the limits find. */
  judge(): readonly Finding<CheckCode>[];
  /** Returns what is stored with its hold of the ask as it was decided. */
  holdRequest(decided: DecisionAsk): string;
}

export function checkRequest(
  tx: Tx,
  ask: DecisionAsk,
  nanos: bigint,
): CheckedRequest | Refusal<"validation_failed"> {
  const { checks } = tx.profile().decisionDefaults;
  const isCharged = chargesOnExpiry(ask, usualExpiryOf(tx));
  if (checksAll(ask, checks)) return fullyCheckedRequest(tx, ask, nanos, isCharged);
  return {
    phase: "decision",
    attempt: { nanos, tokens: tokensOf(ask), depth: 0 },
    scopes: scopesOf(ask, { keyId: keyOf(tx) }),
    judge: () => [],
    // Whether the chain is one was not checked.
    holdRequest: ({ chain, ...decided }) =>
      writeHoldRequest(decided, { isCharged, keyId: keyOf(tx), depth: 0, chainId: chain?.chain_id }),
  };
}

/** Checked like a run: against every limit, after the policies and detectors. */
function fullyCheckedRequest(
  tx: Tx,
  ask: DecisionAsk,
  nanos: bigint,
  isCharged: boolean,
): CheckedRequest | Refusal<"validation_failed"> {
  const depth = chainDepth(ask.chain, (id) => tx.hooks.placeInChain(tx.sql, id));
  if (isRefusal(depth)) return depth;
  if (ask.approval_id !== undefined && loadApproval(tx.sql, ask.approval_id) === null) {
    return invalidField("approval_id", "unknown", "is not an approval in this organization");
  }
  if (ask.model === undefined && areModelsRuled(tx)) {
    return invalidField("model", "required", "is required, because a policy of this organization checks it");
  }
  return {
    phase: "run",
    attempt: { nanos, tokens: tokensOf(ask), depth },
    scopes: scopesOf(ask, { keyId: keyOf(tx), chain: ask.chain?.chain_id }),
    judge: () => runChecks(tx)?.(toCheckedRun(ask, tx.now), nanos, oneRunsSteps()) ?? [],
    holdRequest: (decided) => writeHoldRequest(decided, { isCharged, keyId: keyOf(tx), depth }),
  };
}

/** Without a model, rules about models would allow everything. */
function areModelsRuled(tx: Tx): boolean {
  return loadPolicies(tx).some(({ rule }) => rule.target === "model" && rule.mode === "enforce");
}
