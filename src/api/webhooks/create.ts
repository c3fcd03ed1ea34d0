import { createdWebhook, newWebhook } from "../../contract/resources/webhooks.ts";
import { operation } from "../../edge/request/operation.ts";
import { checkWebhookUrl } from "./address.ts";

export const createWebhook = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/webhooks",
    summary: "Subscribe to events",
    description:
      "The response contains the webhook's own signing secret, except in an organization that still has " +
      "an org-level secret.",
    role: "admin",
    scope: "webhooks:write",
    idempotent: true,
    dryRun: true,
    body: newWebhook,
    reply: { 201: createdWebhook },
    refuses: ["conflict"],
  },
  async (call) =>
    (await checkWebhookUrl(call.body.url, call.settings)) ?? call.org.command("createWebhook", call.body),
);
