import type { PlanTerms } from "../../contract/resources/plans.ts";
import type { View } from "../kernel/door.ts";
import { sharesOf } from "../meters/show.ts";
import { loadMeterRow, type MeterRow, onlyMeterRow } from "../meters/store.ts";

export const METERS = ["plan_runs", "plan_tokens"] as const;
type PlanMeter = (typeof METERS)[number];

export function emptyMeterRow(id: PlanMeter, since: number): MeterRow {
  return onlyMeterRow(id, { amount: null, mode: "count", since });
}

/** The terms that this object has stored. */
export function keptPlanTerms(view: Pick<View, "sql" | "profile">): PlanTerms {
  const load = (id: PlanMeter) => loadMeterRow(view.sql, id, id) ?? emptyMeterRow(id, 0);
  const runs = load("plan_runs");
  return {
    plan: view.profile().plan,
    runs_limit: limitOf(runs),
    tokens_limit: limitOf(load("plan_tokens")),
    overage_policy: runs.mode === "enforce" ? "block" : "allow",
    alert_thresholds: sharesOf(runs),
  };
}

const limitOf = ({ amount }: MeterRow) => (amount === null ? null : Number(amount));
