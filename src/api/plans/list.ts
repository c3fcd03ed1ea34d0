import { pageOf } from "../../contract/list.ts";
import { planTerms } from "../../contract/plan.ts";
import { operation, reply } from "../../edge/operation.ts";
import { listPlans as loadPlans } from "../../platform/plans.ts";

export const listPlans = operation(
  {
    method: "GET",
    path: "/v1/admin/plans",
    summary: "List plans",
    role: "operator",
    reply: { 200: pageOf(planTerms) },
    refuses: [],
  },
  async (call) => reply(200, { data: await loadPlans(call.env.DB), next_cursor: null }),
);
