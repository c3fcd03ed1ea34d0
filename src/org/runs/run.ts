import type { Unit } from "../../contract/meter-kinds.ts";
import { amountOf, type Denial } from "../../domain/refusal/limit-denials.ts";
import type { RunResource } from "../../contract/resources/runs/runs.ts";
import type { TokenClass } from "../../contract/token-classes.ts";
import type { RunAmounts } from "../../domain/run/segment/columns.ts";
import type { RunRecord } from "../../domain/run/segment/record.ts";

/**
 * A run as it is stored. `chargedAt` is the time whose windows it was charged to, and `charges` are the meters it was
 * charged to, separated by spaces: together they allow every counter to be recounted. `depth` is 0 outside a chain.
 */
export interface Run extends RunRecord {
  readonly extra: RunExtra | null;
}

/** The fields that few runs have. Amounts are decimal texts in the meter's unit. */
export interface RunExtra {
  /** Set if the cost came from the price book: the revision, if known. */
  readonly priced?: true | number;
  readonly variant?: string;
  /** Parts of the tokens, by class. */
  readonly parts?: Readonly<Partial<Record<TokenClass, number>>>;
  /** The cost that the base rates would have added, in nano-dollars. */
  readonly saved?: string;
  readonly units?: Readonly<Record<string, number>>;
  readonly reservation?: string;
  readonly incurred?: true;
  readonly approval?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Instead of metadata that is stored separately: its size, and a digest of the run's content. */
  readonly long?: { readonly characters: number; readonly said: string };
  readonly draws?: readonly (readonly [packId: string, amount: string])[];
  /** The part of a fact that the customer's packs could not cover. */
  readonly uncovered?: string;
  /** The owner of these packs, if the run itself names no customer. */
  readonly payer?: string;
  readonly over?: Readonly<Record<string, string>>;
  /** By meter: the customer whose counter was charged, if it is not the run's own. */
  readonly subjects?: Readonly<Record<string, string>>;
  readonly shadow?: readonly Denial[];
  readonly estimated?: true;
  /** The model that was asked for, if a fallback chose another one, and the name of that. */
  readonly requested?: string;
  readonly fallback?: string;
  /** The caller's trace and span, where an export of spans needs it. */
  readonly trace?: string;
}

export function outcomeOf({ outcome }: Run): RunResource["outcome"] {
  return (outcome as RunResource["outcome"] | null) ?? "completed";
}

/** Returns the amount that a run took from a meter of a unit: its cost, its tokens, or one run. */
export function amountCharged(run: RunAmounts, unit: Unit): bigint {
  const { cost: nanos, inputTokens, outputTokens, depth } = run;
  return amountOf(unit, { nanos, tokens: inputTokens + outputTokens, depth });
}
