import { z } from "zod";
import { operation } from "../../edge/operation.ts";

export const rotateWebhookSecret = operation(
  {
    method: "POST",
    path: "/v1/admin/orgs/{org_id}/webhook-secret/rotate",
    summary: "Create or rotate the org-level webhook secret",
    description: "Changes nothing once every webhook has a secret of its own.",
    role: "admin",
    scope: "webhooks:write",
    idempotent: true,
    reply: {
      200: z.object({
        rotated: z.boolean(),
        secret: z.string().optional().meta({ description: "The new secret: shown here, and never again." }),
      }),
    },
    refuses: ["conflict"],
  },
  (call) => call.org.command("rotateOrgWebhookSecret", {}),
);
