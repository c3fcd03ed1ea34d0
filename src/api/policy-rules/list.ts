import { listQuery, pageOf, searchFilter, toListQuery } from "../../contract/list.ts";
import { policyRule } from "../../contract/resources/policy-rules.ts";
import { operation } from "../../edge/request/operation.ts";

const { target, effect, mode } = policyRule.shape;
const LIST = {
  sort: ["created_at", "priority"],
  filters: { target, effect, mode, contains: searchFilter("the reason", "trial") },
} as const;

export const listPolicyRules = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/policy-rules",
    summary: "List policy rules",
    role: "viewer",
    scope: "policies:read",
    query: listQuery(LIST),
    reply: { 200: pageOf(policyRule) },
    refuses: [],
  },
  (call) => call.org.query("listPolicyRules", toListQuery(LIST, call.query)),
);
