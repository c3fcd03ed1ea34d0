import { DUE } from "../kernel/due-kinds.ts";
import type { ListQuery } from "../../contract/list.ts";
import { refuse } from "../../contract/refusal.ts";
import type { Webhook, WebhookChange } from "../../contract/resources/webhooks.ts";
import { command, done, query, type View } from "../kernel/door.ts";
import { listRows } from "../../storage/list-rows.ts";
import { forgetFanOuts } from "./fan-out.ts";
import { moveUp } from "./queue.ts";
import { dropSecrets } from "./secrets.ts";
import { loadSubscription, saveSubscription, type SubscriptionRow, toWebhook } from "./subscriptions.ts";

interface Named {
  readonly webhookId: string;
}

function current(view: View, { webhookId }: Named): Webhook | null {
  const row = loadSubscription(view.sql, webhookId);
  return row === null ? null : toWebhook(view, row);
}

export const getWebhook = query({
  refuses: ["not_found"],
  run: (view, input: Named) => current(view, input) ?? refuse("not_found"),
});

export const listWebhooks = query({
  refuses: [],
  run: (view, input: ListQuery) =>
    listRows(
      view.sql,
      {
        table: "webhook_subscriptions",
        sort: { created_at: "created_at", url: "url" },
        filters: { status: "CASE WHEN disabled_reason IS NULL THEN 'enabled' ELSE 'disabled' END = ?" },
        toItem: (row: SubscriptionRow) => toWebhook(view, row),
      },
      input,
    ),
});

/** When it is enabled again, a webhook continues with its queue. */
export const changeWebhook = command({
  action: "webhook.updated",
  refuses: ["not_found"],
  current,
  run(tx, { webhookId, ...change }: Named & WebhookChange) {
    const before = loadSubscription(tx.sql, webhookId);
    if (before === null) return refuse("not_found");
    const wanted = change.status ?? (before.disabled_reason === null ? "enabled" : "disabled");
    const after: SubscriptionRow = {
      ...before,
      url: change.url ?? before.url,
      events: change.events === undefined ? before.events : JSON.stringify(change.events),
      description: change.description === undefined ? before.description : change.description,
      disabled_reason: wanted === "enabled" ? null : (before.disabled_reason ?? "requested"),
      updated_at: tx.now,
    };
    saveSubscription(tx.sql, after);
    if (wanted === "disabled") tx.schedule(DUE.delivery, webhookId, null);
    else if (before.disabled_reason !== null) moveUp(tx.sql, tx.now, webhookId);
    return done(200, toWebhook(tx, after), { target: webhookId, detail: { ...change } });
  },
});

export const deleteWebhook = command({
  action: "webhook.deleted",
  refuses: ["not_found"],
  current,
  run(tx, { webhookId }: Named) {
    const row = loadSubscription(tx.sql, webhookId);
    if (row === null) return refuse("not_found");
    tx.sql.exec("DELETE FROM webhook_subscriptions WHERE id = ?", webhookId);
    tx.sql.exec("DELETE FROM webhook_deliveries WHERE subscription_id = ?", webhookId);
    forgetFanOuts(tx.sql, webhookId);
    dropSecrets(tx.sql, webhookId);
    tx.schedule(DUE.delivery, webhookId, null);
    return done(204, null, { target: webhookId, detail: { url: row.url } });
  },
});
