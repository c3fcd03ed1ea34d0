import { meterKindOf, type Unit } from "../../contract/meter-kinds.ts";
import { amountOf, type Denial } from "../../domain/kinds.ts";
import type { RunResource } from "../../contract/resources/runs.ts";
import type { TokenClass } from "../../contract/token-classes.ts";
import type { RunAmounts } from "../../domain/run-segment/columns.ts";
import type { RunRecord } from "../../domain/run-segment/record.ts";
import { formatUsd } from "../../domain/money.ts";
import type { Breakdowns } from "./breakdown.ts";
import { chargesIn } from "../../domain/charge-text.ts";
import { namesOf } from "./scopes.ts";
import { tagsOf } from "../../domain/tags.ts";
import { usageOf } from "./usage.ts";

/**
 * A run as it is stored. `chargedAt` is the time whose windows it was charged to, and `charges` are the meters it was
 * charged to, separated by spaces: together they allow every counter to be recounted. `depth` is 0 outside a chain.
 */
export interface Run extends RunRecord {
  readonly extra: RunExtra | null;
}

/** What few runs have. Amounts are decimal texts in the meter's unit. */
export interface RunExtra {
  /** Set if the cost came from the price book: the revision, if known. */
  readonly priced?: true | number;
  readonly variant?: string;
  /** Parts of the tokens, by class. */
  readonly parts?: Readonly<Partial<Record<TokenClass, number>>>;
  readonly units?: Readonly<Record<string, number>>;
  readonly reservation?: string;
  readonly incurred?: true;
  readonly approval?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Instead of metadata that is stored separately: its size, and a digest of the run's content. */
  readonly long?: { readonly characters: number; readonly said: string };
  readonly draws?: readonly (readonly [packId: string, amount: string])[];
  /** What the customer's packs could not cover of a fact. */
  readonly uncovered?: string;
  /** Whose packs these were, if the run itself names no customer. */
  readonly payer?: string;
  readonly over?: Readonly<Record<string, string>>;
  /** By meter: the customer whose counter was charged, if it is not the run's own. */
  readonly subjects?: Readonly<Record<string, string>>;
  readonly shadow?: readonly Denial[];
  readonly estimated?: true;
  /** The model that was asked for, if a fallback chose another one, and the name of that. */
  readonly requested?: string;
  readonly fallback?: string;
}

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
    ended_at: run.endedAt === null ? null : iso(run.endedAt),
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

export function outcomeOf({ outcome }: Run): RunResource["outcome"] {
  return (outcome as RunResource["outcome"] | null) ?? "completed";
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** What a run took from a meter of a unit: its cost, its tokens, or one run. */
export function amountCharged(run: RunAmounts, unit: Unit): bigint {
  const { cost: nanos, inputTokens, outputTokens, depth } = run;
  return amountOf(unit, { nanos, tokens: inputTokens + outputTokens, depth });
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
