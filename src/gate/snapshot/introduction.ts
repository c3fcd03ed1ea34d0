import type { DecisionAsk } from "../decision/ask.ts";
import type { DecisionReply } from "../decision/object-verdict.ts";
import type { Snapshot } from "./snapshot.ts";

/** A decision that comes with a key which the isolate does not know. */
export interface Introduction {
  readonly ask: DecisionAsk;
  /** Where the request arrived. */
  readonly region: string;
  readonly address: string;
  readonly trace: string;
  /** The caller's own trace, as `traceparent`. */
  readonly parent: string | null;
}

export interface IntroductionReply {
  readonly snapshot: Snapshot;
  /** Null if the object has not decided: the isolate refuses the caller, or asks again after its own checks. */
  readonly reply: DecisionReply | null;
}
