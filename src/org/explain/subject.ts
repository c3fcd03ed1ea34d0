import type { Phase } from "../../contract/meter-kinds.ts";
import type { CheckedRun } from "../../domain/run/checked-run.ts";
import type { Attempt } from "../../domain/refusal/limit-denials.ts";
import type { Scopes } from "../../domain/meter/limit-set.ts";

/** The call to explain: one that is made now, or a past call with the current limits. */
export interface Subject {
  readonly route: string;
  readonly keyId: string;
  readonly scopes: Scopes;
  readonly attempt: Attempt;
  /** A decision is checked against fewer limits than a run, unless it asks for all. */
  readonly phase: Phase;
  /** The content that rules and detectors read. Null if the call is in the past, because it is not stored. */
  readonly content: Content | null;
  /** The cost that rules are told, if that is not what it takes from limits. */
  readonly contentNanos?: bigint;
}

/** As rules and detectors read a run. */
export type Content = Omit<CheckedRun, "model"> & { readonly model: string | undefined };

export const ONLY_WITH_ALL = 'A decision makes this check only with checks "all".';
