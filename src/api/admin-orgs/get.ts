import { org } from "../../contract/resources/orgs.ts";
import { operation } from "../../edge/request/operation.ts";

export const getAdminOrg = operation(
  {
    method: "GET",
    path: "/v1/admin/orgs/{org_id}",
    summary: "Read an organization",
    role: "operator",
    reply: { 200: org },
    refuses: [],
  },
  (call) => call.org.query("getOrg", {}),
);
