import { residency } from "../../contract/resources/residency.ts";
import { operation } from "../../edge/request/operation.ts";

export const getResidency = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/residency",
    summary: "Read the regions that may serve your organization's calls",
    role: "owner",
    scope: "org:read",
    reply: { 200: residency },
    refuses: [],
  },
  (call) => call.org.query("getResidency", {}),
);
