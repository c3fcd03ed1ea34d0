import { PLATFORM_ORG_ID } from "../../contract/platform-org.ts";
import { ifMatchRefusal } from "../../contract/etag.ts";
import { planChange, planTerms, type PlanTerms } from "../../contract/resources/plans.ts";
import { invalidField, refuse } from "../../contract/refusal.ts";
import { plainShare } from "../../domain/price/share.ts";
import { operation } from "../../edge/request/operation.ts";
import { tellOrgs } from "../../edge/object/tell-orgs.ts";
import { loadPlan, orgIdsOnPlan, savePlan } from "../../platform/plans.ts";

export const setPlan = operation(
  {
    method: "PUT",
    path: "/v1/admin/plans/{plan}",
    summary: "Create or change a plan",
    description: "When the call returns, the new terms apply to every organization on the plan.",
    role: "operator",
    ifMatch: true,
    freeParams: ["plan"],
    body: planChange,
    reply: { 200: planTerms },
    refuses: ["conflict"],
  },
  async (call) => {
    if (!/^[a-z0-9_-]{1,64}$/.test(call.params.plan)) {
      return invalidField("plan", "invalid_format", "must be 1 to 64 characters of a-z, 0-9, _ and -");
    }
    const { ifMatch } = call.envelope();
    const before = await loadPlan(call.env.DB, call.params.plan);
    const { alert_thresholds: shares = before?.alert_thresholds ?? [], ...limits } = call.body;
    const terms: PlanTerms = { plan: call.params.plan, ...limits, alert_thresholds: shares.map(plainShare) };
    const outdated = ifMatchRefusal(ifMatch, before);
    if (outdated !== null) return outdated;
    const alone = { ...call.envelope(), idempotency: null, ifMatch: null };
    await savePlan(call.env.DB, terms);
    const unreached = await tellOrgs(await orgIdsOnPlan(call.env.DB, terms.plan), (orgId) =>
      call.door(orgId, alone).command("setPlanTerms", terms),
    );
    const recorded = await call.door(PLATFORM_ORG_ID, alone).command("recordPlan", terms);
    if (unreached === 0) return recorded;
    const message = `The plan is set, but ${unreached} organizations on it could not be reached. They load the new terms on their next request. To apply them now, send this request again.`;
    return refuse("service_unavailable", {}, { message });
  },
);
