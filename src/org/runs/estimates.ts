import { formatUsd } from "../../domain/price/money.ts";
import { type DecisionAsk, DEFAULT_OUTPUT_TOKENS } from "../../gate/decision/ask.ts";
import { NO_MODEL } from "../decisions/hold-request.ts";
import type { Estimate, Tx } from "../kernel/door.ts";
import { tallyRuns } from "../ledger/tally.ts";
import { subjectsOf } from "../../domain/meter/settlement.ts";
import { chargeText } from "../../domain/meter/charge-text.ts";
import { announceRecorded, overEvent } from "./announce.ts";
import { saveDaily } from "./daily.ts";
import type { Run, RunExtra } from "./run.ts";
import { runScopesOf } from "./scopes.ts";
import { insertRuns } from "./store.ts";
import { dayOf, type Sum } from "./sums.ts";
import { addTokens, type TokenCounts } from "../../domain/usage-report/token-counts.ts";
import { tagsText } from "../../domain/run/tags.ts";

export const UNREPORTED = "unreported";

/** Records the runs that reservations become where nobody settles them. */
export function recordEstimates(tx: Tx, made: readonly Estimate[]): void {
  if (made.length === 0) return;
  const runs = made.map((estimate) => ({
    ...estimatedRun(tx.now, estimate),
    charges: chargeText(estimate.accounts),
    extra: extraOf(estimate),
  }));
  insertRuns(tx.sql, runs);
  saveDaily(tx.sql, runs.map(sumOf));
  tallyRuns(tx, runs);
  const nanos = runs.reduce((sum, { cost }) => sum + cost, 0n);
  announceRecorded(tx, runs, nanos);
  const over = runs.flatMap((run, at) => {
    const beyond = made[at]?.charged.over ?? [];
    return beyond.length === 0 ? [] : [overEvent(run, beyond)];
  });
  if (over.length > 0) tx.emitAll("run.over_limit", over);
  const detail = { run_ids: runs.map(({ id }) => id), count: runs.length, cost_usd: formatUsd(nanos) };
  tx.record({ action: "runs.estimated", target: null, outcome: "done", detail });
}

/** Returns the amounts that an estimate adds to the sums of its day. */
export function sumOf(run: Run): Sum {
  const counts: TokenCounts = [];
  addTokens(counts, run);
  const tokens = run.inputTokens + run.outputTokens;
  return { day: dayOf(run.startedAt), run, usd: run.cost, runs: 1, tokens, counts };
}

/** The run as it is known from what was asked. */
export function estimatedRun(now: number, estimate: Omit<Estimate, "accounts" | "charged">): Run {
  const { ask, at, nanos, depth, runId } = estimate;
  return {
    id: runId,
    startedAt: at,
    endedAt: null,
    chargedAt: at,
    recordedAt: now,
    model: ask.model ?? NO_MODEL,
    action: ask.action ?? null,
    ...runScopesOf(ask),
    chainId: ask.chain?.chain_id ?? null,
    parentRunId: ask.chain?.parent_run_id ?? null,
    depth,
    ...tokensIn(ask.estimate),
    cost: nanos,
    charges: "",
    extra: null,
    userId: ask.user_id ?? null,
    provider: ask.provider ?? null,
    keyId: estimate.keyId,
    outcome: UNREPORTED,
    tags: tagsText(ask.tags),
  };
}

function tokensIn({ input_tokens: input, max_output_tokens: output }: DecisionAsk["estimate"]) {
  const isCounted = input !== undefined || output !== undefined;
  return { inputTokens: input ?? 0, outputTokens: output ?? (isCounted ? DEFAULT_OUTPUT_TOKENS : 0) };
}

function extraOf({ reservationId, ask, keyId, accounts, charged }: Estimate): RunExtra {
  const { draws, over } = charged;
  const subjects = subjectsOf(accounts, {
    customer: ask.customer_id,
    chain: ask.chain?.chain_id,
    names: { ...ask, key_id: keyId ?? undefined },
  });
  return {
    ...(subjects === undefined ? {} : { subjects }),
    estimated: true,
    reservation: reservationId,
    ...(ask.variant === undefined ? {} : { variant: ask.variant }),
    ...(ask.approval_id === undefined ? {} : { approval: ask.approval_id }),
    ...(draws.length === 0
      ? {}
      : { draws: draws.map(({ pack, amount }) => [pack.meter.id, String(amount)] as const) }),
    ...(over.length === 0
      ? {}
      : { over: Object.fromEntries(over.map(({ account, amount }) => [account.meter.id, String(amount)])) }),
  };
}
