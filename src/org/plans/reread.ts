import { isDeepStrictEqual } from "node:util";
import type { PlanTerms } from "../../contract/resources/plans.ts";
import { loadPlan } from "../../platform/plans.ts";
import type { View } from "../kernel/door.ts";
import { storedPlanTerms } from "./store.ts";

/**
 * The plan's terms in D1, if they differ from those of the object because it was unreachable when they changed. Null
 * also if the object was told of other terms meanwhile, which are newer than what was read.
 */
export async function readMissedPlanTerms(
  d1: D1Database,
  view: Pick<View, "sql" | "profile">,
): Promise<PlanTerms | null> {
  const kept = storedPlanTerms(view);
  const stored = await loadPlan(d1, kept.plan);
  const missed = stored !== null && !isDeepStrictEqual(stored, kept);
  return missed && isDeepStrictEqual(storedPlanTerms(view), kept) ? stored : null;
}
