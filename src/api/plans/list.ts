import { listQuery, pageOf, toListQuery } from "../../contract/list.ts";
import { planTerms } from "../../contract/resources/plans.ts";
import { operation, reply } from "../../edge/request/operation.ts";
import { listPlans as pageOfPlans } from "../../platform/plans.ts";

const LIST = { sort: ["plan"], ascending: true } as const;

export const listPlans = operation(
  {
    method: "GET",
    path: "/v1/admin/plans",
    summary: "List plans",
    role: "operator",
    query: listQuery(LIST),
    reply: { 200: pageOf(planTerms) },
    refuses: [],
  },
  async (call) => reply(200, await pageOfPlans(call.env.DB, toListQuery(LIST, call.query))),
);
