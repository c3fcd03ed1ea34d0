import { invalidField, type Refusal } from "../../contract/refusal.ts";
import type { NewBudget } from "../../contract/resources/budgets/budgets.ts";
import { windowOf } from "../../domain/meter/meter.ts";
import { RUN_ID_KEPT_MS } from "../../domain/run/retention.ts";
import { STATE } from "../../storage/segments/metadata.ts";
import type { View } from "../kernel/door.ts";
import { toMeter } from "../meters/store.ts";
import { runSegments } from "../runs/segments/segments.ts";
import type { BudgetExtra, BudgetRow } from "./store.ts";

export type BackdatedBudget = Pick<BudgetExtra, "countsFromMs">;

/** No run of the organization is from before its creation, so a budget that counts from then counts each period as a whole. */
export function backdateBudget(view: View, from: NewBudget["count_from"]): BackdatedBudget {
  return from === "period_start" ? { countsFromMs: view.profile().createdAt } : {};
}

/** Returns why a budget cannot count all that it would have to. Null if it can. */
export function uncountable(view: View, row: BudgetRow): Refusal<"validation_failed"> | null {
  const meter = toMeter(row, view.now);
  if (meter.isBackdated !== true) return null;
  const deletedMs = lastDeleted(view);
  if (deletedMs === null || deletedMs < windowOf(meter, view.now).startMs) return null;
  const until = new Date(deletedMs).toISOString();
  const message = `must be creation, because runs of the period are deleted, up to ${until}, and cannot be counted`;
  return invalidField("count_from", "unavailable", message);
}

/**
 * When the last run was recorded that retention has deleted. If its id is forgotten, too, it was before this. Null if
 * there is none.
 */
function lastDeleted({ sql, now }: View): number | null {
  const { ranges } = runSegments(sql);
  const deleted = ranges.findLast(({ state }) => state === STATE.tombstones);
  if (deleted !== undefined) return deleted.recordedMax;
  return (ranges[0]?.firstSeq ?? 1) === 1 ? null : now - RUN_ID_KEPT_MS;
}
