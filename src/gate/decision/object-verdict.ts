import type { Refusal } from "../../contract/refusal.ts";
import type { DecisionPlan } from "../snapshot/decision-plan.ts";
import type { RateInfo } from "../lease/wire.ts";

/** The verdict on a request's rate limits, and their state. */
export interface RequestVerdict {
  readonly refusal: Refusal | null;
  readonly rates: readonly RateInfo[];
  readonly orgNow: number;
}

/** The same, and the answer to the report that the call carried. Null if it carried none, or the report failed. */
export interface RequestReply extends RequestVerdict {
  readonly leases: string | null;
}

/** A decision of the object, and what the isolate can learn from it. */
export interface DecisionVerdict extends RequestVerdict {
  /** The verdict for the caller. Null if it is refused. */
  readonly text: string | null;
  readonly decisionPlan: DecisionPlan | null;
  /** The touch that a gate outside the service reports holds of this kind by. Our own gates need none. */
  readonly touch?: string | null;
  /** The version of the limits that the decision plan is about. */
  readonly version: string;
}

/** The verdict on a decision, with the answer to the report. */
export type DecisionReply = DecisionVerdict & RequestReply;
