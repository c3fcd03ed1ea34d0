import { webhookSecret } from "../../contract/resources/webhook-secret.ts";
import { operation } from "../../edge/operation.ts";

export const getWebhookSecret = operation(
  {
    method: "GET",
    path: "/v1/admin/orgs/{org_id}/webhook-secret",
    summary: "The org-level webhook secret, and who still signs with it",
    description: "Not found before the first rotate.",
    role: "admin",
    scope: "webhooks:read",
    reply: { 200: webhookSecret },
    refuses: [],
  },
  (call) => call.org.query("getOrgWebhookSecret", {}),
);
