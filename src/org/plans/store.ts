import type { PlanTerms } from "../../contract/resources/plans.ts";
import type { Tx, View } from "../kernel/door.ts";
import { sharesExtra, sharesOf } from "../meters/show.ts";
import { loadMeterRow, type MeterRow, onlyMeterRow, saveMeterRow } from "../meters/store.ts";

export const METERS = ["plan_runs", "plan_tokens"] as const;
type PlanMeter = (typeof METERS)[number];

export function emptyMeterRow(id: PlanMeter, since: number): MeterRow {
  return onlyMeterRow(id, { amount: null, mode: "count", since });
}

/** The terms that this object has stored. */
export function storedPlanTerms(view: Pick<View, "sql" | "profile">): PlanTerms {
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

/** The plan's two meters always exist: an org on an unlimited plan is counted too. */
export function keepPlanTerms(tx: Tx, terms: PlanTerms): void {
  for (const id of METERS) {
    const limit = id === "plan_runs" ? terms.runs_limit : terms.tokens_limit;
    saveMeterRow(tx.sql, {
      ...emptyMeterRow(id, loadMeterRow(tx.sql, id, id)?.since ?? tx.now),
      amount: limit === null ? null : String(limit),
      mode: terms.overage_policy === "block" ? "enforce" : "count",
      extra: sharesExtra(terms.alert_thresholds),
    });
  }
}

const limitOf = ({ amount }: MeterRow) => (amount === null ? null : Number(amount));
