import { org } from "../../contract/resources/orgs.ts";
import { noFields } from "../../contract/shapes.ts";
import { operation } from "../../edge/request/operation.ts";

export const suspendOrg = operation(
  {
    method: "POST",
    path: "/v1/admin/orgs/{org_id}/suspend",
    summary: "Suspend an organization. When the call returns, its keys no longer work in any region",
    role: "operator",
    idempotent: true,
    ifMatch: true,
    body: noFields,
    reply: { 200: org },
    refuses: ["conflict"],
  },
  (call) => call.org.command("suspendOrg", {}),
);
