import { z } from "zod";
import { idShape } from "../../contract/ids.ts";
import { timestamp } from "../../contract/shapes.ts";
import { operation } from "../../edge/operation.ts";

export const getWebhookSecret = operation(
  {
    method: "GET",
    path: "/v1/admin/orgs/{org_id}/webhook-secret",
    summary: "The org-level webhook secret, and who still signs with it",
    description: "Not found before the first rotate.",
    role: "admin",
    scope: "webhooks:read",
    reply: {
      200: z.object({
        secret_last4: z.string(),
        created_at: timestamp,
        in_use_by: z.array(idShape("sub")).meta({ description: "Webhooks without a secret of their own." }),
      }),
    },
    refuses: [],
  },
  (call) => call.org.query("getOrgWebhookSecret", {}),
);
