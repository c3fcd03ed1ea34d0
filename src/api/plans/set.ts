import { z } from "zod";
import { PLATFORM_ORG_ID } from "../../contract/ids.ts";
import { type PlanTerms, planTerms } from "../../contract/plan.ts";
import { invalidField } from "../../contract/refusal.ts";
import { operation } from "../../edge/operation.ts";
import { orgIdsOnPlan, savePlan } from "../../platform/plans.ts";

const limit = z.int().min(0).max(1_000_000_000_000_000).nullable();
/** Objects that are told at once. */
const AT_ONCE = 20;

export const setPlan = operation(
  {
    method: "PUT",
    path: "/v1/admin/plans/{plan}",
    summary: "Create or change a plan",
    description: "Every organization on the plan has the new terms when this answers.",
    role: "operator",
    freeParams: ["plan"],
    body: z.strictObject({
      runs_limit: limit,
      tokens_limit: limit,
      overage_policy: z.enum(["block", "allow"]),
    }),
    reply: { 200: planTerms },
    refuses: ["conflict"],
  },
  async (call) => {
    if (!/^[a-z0-9_-]{1,64}$/.test(call.params.plan)) {
      return invalidField("plan", "invalid_format", "must be 1 to 64 of a-z, 0-9, _ and -");
    }
    const terms: PlanTerms = { plan: call.params.plan, ...call.body };
    const alone = { ...call.envelope(), idempotency: null, ifMatch: null };
    await savePlan(call.env.DB, terms);
    const orgIds = await orgIdsOnPlan(call.env.DB, terms.plan);
    for (let at = 0; at < orgIds.length; at += AT_ONCE) {
      const some = orgIds.slice(at, at + AT_ONCE);
      await Promise.all(some.map((id) => call.door(id, alone).command("setPlanTerms", terms)));
    }
    return call.door(PLATFORM_ORG_ID, alone).command("recordPlan", terms);
  },
);
