import { callerId } from "../../contract/ids.ts";
import { listQuery, pageOf, toListQuery } from "../../contract/list.ts";
import { operation } from "../../edge/request/operation.ts";
import { period } from "../../contract/resources/budgets/budgets.ts";
import { customerLimit } from "../../contract/resources/customer-limits.ts";

const LIST = { sort: ["created_at"], filters: { customer_id: callerId, period } } as const;

export const listCustomerLimits = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/customer-limits",
    summary: "List customer limits",
    role: "viewer",
    scope: "customers:read",
    query: listQuery(LIST),
    reply: { 200: pageOf(customerLimit) },
    refuses: [],
  },
  (call) => call.org.query("listCustomerLimits", toListQuery(LIST, call.query)),
);
