import { invalidField, isRefusal, type Refusal } from "../../contract/refusal.ts";
import type { Phase } from "../../contract/meter-kinds.ts";
import type { Attempt } from "../../domain/kinds.ts";
import { type Scopes, scopesOf } from "../../domain/touch.ts";
import { oneRunsWork } from "../../domain/work.ts";
import { checksAll, type DecisionAsk, DEFAULT_OUTPUT_TOKENS, tokensOf } from "../../gate/ask.ts";
import { loadApproval } from "../approvals/store.ts";
import type { Tx } from "../kernel/door.ts";
import type { Finding } from "../kernel/finding.ts";
import { loadPolicies } from "../policy-rules/store.ts";
import type { CHECK_CODES } from "../../contract/limit-codes.ts";
import { type CheckedRun, runChecks } from "../checks/checks.ts";
import { depthIn } from "../checks/depth.ts";

type CheckCode = (typeof CHECK_CODES)[number];

/** What an ask takes from which limits, and what can refuse it before they do. */
export interface Asked {
  /** The phase whose limits are checked. */
  readonly phase: Phase;
  readonly attempt: Attempt;
  readonly scopes: Scopes;
  /** What the checks before the limits find. */
  judge(): readonly Finding<CheckCode>[];
}

export function askedOf(tx: Tx, ask: DecisionAsk, nanos: bigint): Asked | Refusal<"validation_failed"> {
  if (checksAll(ask, tx.profile().decisionDefaults.checks)) return askedOfAll(tx, ask, nanos);
  const attempt = { nanos, tokens: 0, depth: 0 };
  return { phase: "decision", attempt, scopes: scopesOf(ask), judge: () => [] };
}

/** Checked like a run: against every limit, after the policies and detectors. */
function askedOfAll(tx: Tx, ask: DecisionAsk, nanos: bigint): Asked | Refusal<"validation_failed"> {
  const depth = depthIn(ask.chain, (id) => tx.hooks.placeInChain(tx.sql, id));
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
    scopes: scopesOf(ask, ask.chain?.chain_id),
    judge: () => runChecks(tx)(asRun(ask, tx.now), nanos, oneRunsWork()),
  };
}

/** Without a model, rules about models would allow everything. */
function areModelsRuled(tx: Tx): boolean {
  return loadPolicies(tx).some(({ rule }) => rule.target === "model" && rule.mode === "enforce");
}

/** The run that is asked for, with the most that it may use. */
function asRun(ask: DecisionAsk, now: number): CheckedRun {
  const {
    estimate,
    request_id: _request,
    dry_run: _dry,
    hold_seconds: _hold,
    checks: _checks,
    ...rest
  } = ask;
  const { input_tokens: input, max_output_tokens: output } = estimate;
  const isCounted = input !== undefined || output !== undefined;
  return {
    ...rest,
    model: ask.model ?? "",
    started_at: new Date(now).toISOString(),
    usage: {
      input_tokens: input ?? 0,
      output_tokens: output ?? (isCounted ? DEFAULT_OUTPUT_TOKENS : 0),
    },
  } as CheckedRun;
}
