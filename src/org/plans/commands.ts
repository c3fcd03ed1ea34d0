import type { PlanTerms } from "../../contract/resources/plans.ts";
import { command, done, type Tx } from "../kernel/door.ts";
import { sharesExtra } from "../meters/show.ts";
import { loadMeterRow, saveMeterRow } from "../meters/store.ts";
import { emptyMeterRow, METERS } from "./store.ts";

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

/** The terms of a plan have changed. They do not apply to an org that has left the plan since. */
export const setPlanTerms = command({
  action: "plan.changed",
  changesLimits: true,
  refuses: [],
  run(tx, terms: PlanTerms) {
    if (tx.profile().plan === terms.plan) keepPlanTerms(tx, terms);
    return done(204, null, { target: terms.plan, detail: { ...terms } });
  },
});
