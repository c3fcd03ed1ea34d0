import type { PlanTerms } from "../../contract/resources/plans.ts";
import { command, done } from "../kernel/door.ts";
import { keepPlanTerms } from "./store.ts";

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
