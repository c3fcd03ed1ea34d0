import { isRefusal } from "../../contract/refusal.ts";
import type { Month } from "../../domain/cohort/month.ts";
import type { MonthlyFigures } from "../../domain/cohort/percentile.ts";
import type { OrgDoor } from "../../edge/object/org-door.ts";

/** A month's figures from the org's own object. Null if the org did not exist by then. */
export async function figuresFromObject(door: OrgDoor, month: Month): Promise<MonthlyFigures | null> {
  const found = await door.query("benchmarkFigures", { month });
  return isRefusal(found) ? null : found.body.figures;
}
