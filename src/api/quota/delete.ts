import { operation } from "../../edge/request/operation.ts";

export const deleteQuota = operation(
  {
    method: "DELETE",
    path: "/v1/orgs/{id}/quota",
    summary: "Remove the prepaid quota",
    role: "operator",
    scope: "quota:write",
    ifMatch: true,
    reply: { 204: null },
    refuses: ["conflict"],
  },
  (call) => call.org.command("deleteQuota", {}),
);
