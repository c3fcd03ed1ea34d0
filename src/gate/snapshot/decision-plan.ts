import type { Trait } from "../../contract/dimensions.ts";
import type { SingleScope } from "../../contract/scopes.ts";
import type { Account } from "../../domain/meter/meter.ts";
import type { PolicyRule } from "../../domain/policy/policy.ts";
import type { KnownCeiling } from "./ceilings.ts";
import type { Detector } from "../../domain/safety/safety.ts";

/** The facts by which an isolate decides calls like this one by itself. */
export interface DecisionPlan {
  /** The dollar limits that the call touches, in order of refusal, and their state. */
  readonly accounts: readonly Account[];
  readonly matters: RelevantNames;
  /** Null if the model has no price, or none was asked for. */
  readonly ceiling: KnownCeiling | null;
  /** The checks of a call that is checked against everything; null if calls like it are for the object. */
  readonly checks?: KnownChecks | null;
}

/** The checks of a call before the limits, to be compiled where they are first needed. */
export interface KnownChecks {
  readonly rules: readonly PolicyRule[];
  readonly detectors: readonly Detector[];
}

/** The names of a call that determine what it touches: all (null), some, or none. */
export type RelevantNames = { readonly [Kind in SingleScope]: readonly string[] | null } & {
  readonly customer: boolean;
  /** The traits that limits look at beside the scopes. If missing, they look at none. */
  readonly traits?: readonly TraitMatters[];
};

/** The values of a trait that determine what a call touches. */
export interface TraitMatters {
  readonly trait: Trait;
  /** Null means all. */
  readonly names: readonly string[] | null;
  /** And all that begin so. */
  readonly prefixes: readonly string[];
}
