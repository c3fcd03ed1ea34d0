import { rotatedWebhookSecret } from "../../contract/resources/webhook-secret.ts";
import { operation } from "../../edge/request/operation.ts";

export const rotateWebhookSecret = operation(
  {
    method: "POST",
    path: "/v1/admin/orgs/{org_id}/webhook-secret/rotate",
    summary: "Create or rotate the org-level webhook secret",
    description: "Changes nothing once every webhook has its own secret.",
    role: "admin",
    scope: "webhooks:write",
    idempotent: true,
    reply: { 200: rotatedWebhookSecret },
    refuses: ["conflict"],
  },
  (call) => call.org.command("rotateOrgWebhookSecret", {}),
);
