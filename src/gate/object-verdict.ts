import type { Refusal } from "../contract/refusal.ts";
import { isForThisVersion, type Lesson } from "./lesson.ts";
import type { RateInfo } from "./wire.ts";

/** Whether a request is within its rate limits, and their state. */
export interface RequestVerdict {
  readonly refusal: Refusal | null;
  readonly rates: readonly RateInfo[];
  readonly orgNow: number;
}

/** A decision of the object, and what the isolate can learn from it. */
export interface DecisionVerdict extends RequestVerdict {
  /** The verdict for the caller. Null if it is refused. */
  readonly text: string | null;
  /** Null also if there is a `fullLesson`. */
  readonly lesson: Lesson | null;
  /** A lesson that isolates of an earlier version cannot go by, and do not look for here. */
  readonly fullLesson?: Lesson;
  /** The touch that a gate outside the service reports holds of this kind by. Our own gates need none. */
  readonly touch?: string | null;
  /** The version of the limits that the lesson is about. */
  readonly version: string;
}

/** The answer to the report that the call carried. Null if it carried none, or the report failed. */
export interface DecisionReply extends DecisionVerdict {
  readonly leases: string | null;
}

export function lessonIn({
  lesson,
  fullLesson,
}: Pick<DecisionVerdict, "lesson" | "fullLesson">): Lesson | null {
  return lesson ?? fullLesson ?? null;
}

/** Where a verdict has its lesson. */
export function withLesson(lesson: Lesson | null): Pick<DecisionVerdict, "lesson" | "fullLesson"> {
  if (lesson === null || !isForThisVersion(lesson)) return { lesson };
  return { lesson: null, fullLesson: lesson };
}
