import { meterKindOf, type Unit } from "../../contract/meter-kinds.ts";
import type { RunResource } from "../../contract/resources/runs/runs.ts";
import { chargesIn } from "../../domain/meter/charge-text.ts";
import { formatUsd } from "../../domain/price/money.ts";
import { tagsOf } from "../../domain/run/tags.ts";
import type { Breakdowns } from "./breakdown.ts";
import { amountCharged, outcomeOf, type Run } from "./run.ts";
import { namesOf } from "./scopes.ts";
import { usageOf } from "./usage.ts";
import { iso } from "../../domain/time/iso.ts";

/** The run as the API shows it. */
export function toRun(
  run: Run,
  breakdowns: Breakdowns,
  /** The sum of its adjustments. */
  adjusted: bigint,
): RunResource {
  const extra = run.extra ?? {};
  return {
    id: run.id,
    started_at: iso(run.startedAt),
    ended_at: iso(run.endedAt),
    model: run.model,
    action: run.action,
    ...namesOf(run),
    user_id: run.userId,
    provider: run.provider,
    key_id: run.keyId,
    tags: tagsOf(run.tags),
    chain:
      run.chainId === null
        ? null
        : { chain_id: run.chainId, parent_run_id: run.parentRunId, depth: run.depth },
    usage: usageOf(run),
    variant: extra.variant ?? null,
    cost_usd: formatUsd(run.cost),
    ...breakdowns.of(run),
    adjusted_usd: formatUsd(adjusted),
    net_cost_usd: formatUsd(run.cost + adjusted),
    reservation_id: extra.reservation ?? null,
    incurred: extra.incurred ?? false,
    approval_id: extra.approval ?? null,
    outcome: outcomeOf(run),
    estimated: extra.estimated ?? false,
    requested_model: extra.requested ?? null,
    fallback: extra.fallback ?? null,
    metadata: extra.metadata ?? null,
    recorded_at: iso(run.recordedAt),
    charged_at: iso(run.chargedAt),
    charges: chargesOf(run),
    uncovered_usd: extra.uncovered === undefined ? null : formatUsd(BigInt(extra.uncovered)),
    shadow: extra.shadow ?? [],
  };
}

function chargesOf(run: Run) {
  const over = run.extra?.over ?? {};
  const meters = chargesIn(run.charges).map(({ id, unit }) => ({
    // A limit may no longer exist when its charge is read.
    kind: meterKindOf(id) ?? id,
    id,
    ...written(unit, {
      amount: amountCharged(run, unit),
      over: over[id] === undefined ? 0n : BigInt(over[id]),
    }),
  }));
  const draws = (run.extra?.draws ?? []).map(([id, amount]) => ({
    kind: meterKindOf(id) ?? id,
    id,
    ...written("usd", { amount: BigInt(amount), over: 0n }),
  }));
  return [...meters, ...draws];
}

function written(unit: Unit, { amount, over }: { readonly amount: bigint; readonly over: bigint }) {
  if (unit !== "usd") return { amount: Number(amount), ...(over === 0n ? {} : { over: Number(over) }) };
  return { amount_usd: formatUsd(amount), ...(over === 0n ? {} : { over_usd: formatUsd(over) }) };
}
