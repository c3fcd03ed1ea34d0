import type { Refusal } from "../contract/refusal.ts";
import type { Lesson } from "./lesson.ts";
import type { RateInfo } from "./wire.ts";

/** Whether a request is within its rate limits, and how they stand. */
export interface RequestVerdict {
  readonly refusal: Refusal | null;
  readonly rates: readonly RateInfo[];
  readonly orgNow: number;
}

/** A decision of the object's, and what the isolate may learn from it. */
export interface DecisionVerdict extends RequestVerdict {
  /** The verdict as it goes to the caller; null when it is refused. */
  readonly text: string | null;
  readonly lesson: Lesson | null;
  /** Which limits the lesson is about: when they change, so does this. */
  readonly version: string;
}

/** With the answer to the report that the call took along; null where it took none, or the report failed. */
export interface DecisionReply extends DecisionVerdict {
  readonly leases: string | null;
}
