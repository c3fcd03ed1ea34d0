import { asCount } from "../../domain/count.ts";
import type { PlanTerms } from "../../contract/resources/plans.ts";
import { publishedPeriod } from "../../domain/kinds.ts";
import { totalSpent } from "../../domain/meter.ts";
import { command, done, query, type Tx, type View } from "../kernel/door.ts";
import { entryNow } from "../meters/show.ts";
import { loadMeterRow, type MeterRow, onlyMeterRow, saveMeterRow } from "../meters/store.ts";

const METERS = ["plan_runs", "plan_tokens"] as const;
type PlanMeter = (typeof METERS)[number];

/** The plan's two meters are always there: an org on an unlimited plan is counted too. */
export function keepPlanTerms(tx: Tx, terms: PlanTerms): void {
  for (const id of METERS) {
    const limit = id === "plan_runs" ? terms.runs_limit : terms.tokens_limit;
    saveMeterRow(tx.sql, {
      ...meterRow(id, loadMeterRow(tx.sql, id, id)?.since ?? tx.now),
      amount: limit === null ? null : String(limit),
      mode: terms.overage_policy === "block" ? "enforce" : "count",
    });
  }
}

function meterRow(id: PlanMeter, since: number): MeterRow {
  return onlyMeterRow(id, { amount: null, mode: "count", since });
}

/** The terms of a plan have changed. An org that has left the plan meanwhile has others. */
export const setPlanTerms = command({
  action: "plan.changed",
  refuses: [],
  run(tx, terms: PlanTerms) {
    if (tx.profile().plan === terms.plan) keepPlanTerms(tx, terms);
    return done(204, null, { target: terms.plan, detail: { ...terms } });
  },
});

/** The terms as this object has them. */
export function keptPlanTerms(view: Pick<View, "sql" | "profile">): PlanTerms {
  const load = (id: PlanMeter) => loadMeterRow(view.sql, id, id) ?? meterRow(id, 0);
  const runs = load("plan_runs");
  return {
    plan: view.profile().plan,
    runs_limit: limitOf(runs),
    tokens_limit: limitOf(load("plan_tokens")),
    overage_policy: runs.mode === "enforce" ? "block" : "allow",
  };
}

const limitOf = ({ amount }: MeterRow) => (amount === null ? null : Number(amount));

export const getPlan = query({
  refuses: [],
  run(view) {
    const [runs, tokens] = METERS.map((id) =>
      entryNow(view, loadMeterRow(view.sql, id, id) ?? meterRow(id, view.now)),
    );
    if (runs === undefined || tokens === undefined) throw new Error("a plan has two meters");
    return {
      ...keptPlanTerms(view),
      runs_used: asCount(totalSpent(runs.usage)),
      tokens_used: asCount(totalSpent(tokens.usage)),
      ...publishedPeriod(runs),
    };
  },
});
