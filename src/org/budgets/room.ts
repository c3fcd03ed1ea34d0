import type { Refusal } from "../../contract/refusal.ts";
import { invalidField } from "../../contract/refusal.ts";
import { couldMeet, type Match, mostOnOneCall } from "../../domain/meter/match.ts";
import type { Meter } from "../../domain/meter/meter.ts";
import type { View } from "../kernel/door.ts";
import { knownMeters } from "../meters/store.ts";

/**
 * As many budgets can apply to one call. A new budget is compared with each one that there is: if a call matched more than so
 * many, the last of them would have been refused when it was created.
 */
const MOST_ON_ONE_CALL = 64;

/** Returns why there is no room for one more budget beside those that could apply to the same call. */
export function tooManyBudgets(view: View, match: Match, field: string): Refusal<"validation_failed"> | null {
  const { index } = knownMeters(view.sql, view.now);
  const scoped = [...index.byScope.values()].flatMap((ids) => [...ids.values()].flat());
  const budgets = [...scoped, ...index.matching.meters].filter(({ kind }) => kind === "budget");
  const count = mostOnOneCall(budgets.map(matchOfScope).filter((other) => couldMeet(match, other)));
  if (count < MOST_ON_ONE_CALL) return null;
  const message = `could apply to a call to which ${count} other budgets could apply too, and at most ${MOST_ON_ONE_CALL} can. Delete one of them, or match fewer calls.`;
  return invalidField(field, "too_many", message);
}

/** Returns what a budget of a scope matches. */
export function matchOfScope({ scope: { kind, id }, match }: Pick<Meter, "scope" | "match">): Match {
  if (match !== undefined) return match;
  if (kind === "org" || kind === "chain" || kind === "match") return { parts: [], groupBy: [] };
  return { parts: [{ trait: `${kind}_id`, values: [id] }], groupBy: [] };
}
