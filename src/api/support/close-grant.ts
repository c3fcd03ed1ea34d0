import { operation } from "../../edge/request/operation.ts";

export const closeSupportGrant = operation(
  {
    method: "DELETE",
    path: "/v1/orgs/{id}/support-grants/{grant_id}",
    summary: "End a support grant and all of its sessions",
    role: "owner",
    scope: "support:write",
    ifMatch: true,
    idempotent: true,
    reply: { 204: null },
    refuses: [],
  },
  (call) => call.org.command("closeSupportGrant", { grantId: call.params.grant_id }),
);
