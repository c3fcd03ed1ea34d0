import { webhook, webhookChange } from "../../contract/resources/webhooks.ts";
import { operation } from "../../edge/request/operation.ts";
import { checkWebhookUrl } from "./address.ts";

/**
 * Returns whether an address is what reads show of a secret one, sent back. The object takes it only if it is the one
 * that it shows.
 */
const isShownOnly = (url: string | undefined) =>
  url !== undefined && (url.includes("/…") || url.startsWith("mailto:"));

export const changeWebhook = operation(
  {
    method: "PATCH",
    path: "/v1/orgs/{id}/webhooks/{sub_id}",
    summary: "Change, disable or enable a webhook",
    description: "When a webhook is enabled again, pending deliveries are sent.",
    role: "admin",
    scope: "webhooks:write",
    idempotent: true,
    ifMatch: true,
    dryRun: true,
    body: webhookChange,
    reply: { 200: webhook },
    refuses: ["conflict"],
  },
  async (call) =>
    (await checkWebhookUrl(isShownOnly(call.body.url) ? undefined : call.body.url, call.settings)) ??
    call.org.command("changeWebhook", { webhookId: call.params.sub_id, ...call.body }),
);
