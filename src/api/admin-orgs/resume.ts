import { org } from "../../contract/resources/orgs.ts";
import { noFields } from "../../contract/shapes.ts";
import { operation } from "../../edge/request/operation.ts";

export const resumeOrg = operation(
  {
    method: "POST",
    path: "/v1/admin/orgs/{org_id}/resume",
    summary: "Resume a suspended organization",
    role: "operator",
    idempotent: true,
    ifMatch: true,
    body: noFields,
    reply: { 200: org },
    refuses: ["conflict"],
  },
  (call) => call.org.command("resumeOrg", {}),
);
