import { org } from "../../contract/resources/orgs.ts";
import { operation } from "../../edge/request/operation.ts";

export const getOrg = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}",
    summary: "Read your organization",
    role: "viewer",
    scope: "org:read",
    reply: { 200: org },
    refuses: [],
  },
  (call) => call.org.query("getOrg", {}),
);
