import type { Trait } from "../contract/dimensions.ts";
import type { SingleScope } from "../contract/scopes.ts";
import type { Account } from "../domain/meter.ts";
import type { PolicyRule } from "../domain/policy.ts";
import type { Detector } from "../domain/safety.ts";
import type { Ceiling } from "../domain/price/ceiling.ts";

/** What an isolate needs to decide calls like this one by itself. */
export interface Lesson {
  /** The dollar limits that the call touches, in order of refusal, and their state. */
  readonly accounts: readonly Account[];
  readonly matters: Matters;
  /** Isolates of an earlier version look for a price here, and ask again if there is none. */
  readonly price: null;
  /** Null if the model has no price, or none was asked for. Objects of an earlier version do not send it. */
  readonly ceiling?: KnownCeiling | null;
  /** Of a call that is checked against everything; null: calls like it are for the object. */
  readonly checks?: KnownChecks | null;
}

/** What checks a call before the limits do, to be compiled where it is first needed. */
export interface KnownChecks {
  readonly rules: readonly PolicyRule[];
  readonly detectors: readonly Detector[];
}

/** The most that calls of a model may cost, and until when, by the org's clock. */
export interface KnownCeiling extends Ceiling {
  readonly untilMs: number | null;
  /** The most tokens of a request, and of its output. Null if the price does not state them. */
  readonly contextWindow: number | null;
  readonly maxOutputTokens: number | null;
  /** What one of each unit costs, in nano-dollars. A list, not a map: it also travels as JSON. */
  readonly units: readonly { readonly name: string; readonly nanos: bigint }[];
}

/**
 * Which of a call's names determine what it touches: all (null), some, or none. An object of an earlier version says
 * nothing about a newer scope.
 */
export type Matters = { readonly [Kind in SingleScope]?: readonly string[] | null } & {
  readonly customer: boolean;
  /** What limits look at beside the scopes. Missing: at nothing. */
  readonly traits?: readonly TraitMatters[];
};

/** Which values of a trait determine what a call touches. */
export interface TraitMatters {
  readonly trait: Trait;
  /** Null: all. */
  readonly names: readonly string[] | null;
  /** And all that begin so. */
  readonly prefixes: readonly string[];
}

/**
 * Whether isolates of an earlier version would take other calls for calls like this one, or count it wrongly. They must not
 * learn it.
 */
export function isForThisVersion({ accounts, matters }: Lesson): boolean {
  if (matters.traits !== undefined) return true;
  return accounts.some(({ meter }) => meter.unit !== undefined || meter.limitUntilMs !== undefined);
}
