import type { Trait } from "../../contract/dimensions.ts";
import type { SingleScope } from "../../contract/scopes.ts";
import type { Account } from "../../domain/meter/meter.ts";
import type { PolicyRule } from "../../domain/policy/policy.ts";
import type { KnownCeiling } from "./ceilings.ts";
import type { Detector } from "../../domain/safety/safety.ts";

/** What an isolate needs to decide calls like this one by itself. */
export interface DecisionPlan {
  /** The dollar limits that the call touches, in order of refusal, and their state. */
  readonly accounts: readonly Account[];
  readonly matters: Matters;
  /** Null if the model has no price, or none was asked for. */
  readonly ceiling: KnownCeiling | null;
  /** Of a call that is checked against everything; null: calls like it are for the object. */
  readonly checks?: KnownChecks | null;
}

/** What checks a call before the limits do, to be compiled where it is first needed. */
export interface KnownChecks {
  readonly rules: readonly PolicyRule[];
  readonly detectors: readonly Detector[];
}

/** Which of a call's names determine what it touches: all (null), some, or none. */
export type Matters = { readonly [Kind in SingleScope]: readonly string[] | null } & {
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
