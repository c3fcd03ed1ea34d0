import { planInUse } from "../../contract/resources/plans.ts";
import { operation } from "../../edge/request/operation.ts";

export const getPlan = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/plan",
    summary: "Read your plan and its usage",
    role: "viewer",
    scope: "org:read",
    reply: { 200: planInUse },
    refuses: [],
  },
  (call) => call.org.query("getPlan", {}),
);
