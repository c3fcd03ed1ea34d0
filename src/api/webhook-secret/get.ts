import { webhookSecret } from "../../contract/resources/webhook-secret.ts";
import { operation } from "../../edge/request/operation.ts";

export const getWebhookSecret = operation(
  {
    method: "GET",
    path: "/v1/admin/orgs/{org_id}/webhook-secret",
    summary: "Read the org-level webhook secret and the webhooks that still use it",
    description: "Returns 404 before the first rotation.",
    role: "admin",
    scope: "webhooks:read",
    reply: { 200: webhookSecret },
    refuses: [],
  },
  (call) => call.org.query("getOrgWebhookSecret", {}),
);
