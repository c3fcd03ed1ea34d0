import * as z from "zod";
import { timestamp } from "../shapes.ts";
import { idShape } from "../ids.ts";
export const webhookSecret = z.object({
  secret_last4: z.string(),
  created_at: timestamp,
  in_use_by: z.array(idShape("sub")).meta({ description: "Webhooks without their own secret." }),
});

export const rotatedWebhookSecret = z.object({
  rotated: z.boolean(),
  secret: z.string().optional().meta({ description: "The new secret, returned only in this response." }),
});
