import { refuse } from "../../contract/refusal.ts";
import type { NewWebhook } from "../../contract/resources/webhooks.ts";
import { newId } from "../../domain/ulid.ts";
import { command, done } from "../kernel/door.ts";
import { addSecret, hasOwnSecret, ORG_OWNER } from "./secrets.ts";
import { countSubscriptions, saveSubscription, type SubscriptionRow, toWebhook } from "./subscriptions.ts";

/** The maximum per org. Each event may go to all of them, and each may have one request in progress. */
const MAX_SUBSCRIPTIONS = 50;

/** Nothing is ever sent unsigned: if the org has no shared secret, the subscription gets its own. */
export const createWebhook = command({
  action: "webhook.created",
  refuses: ["conflict"],
  run(tx, input: NewWebhook) {
    if (countSubscriptions(tx.sql) >= MAX_SUBSCRIPTIONS) {
      const message = `An organization can have at most ${MAX_SUBSCRIPTIONS} webhooks. Delete one first.`;
      return refuse("conflict", {}, { message });
    }
    const row: SubscriptionRow = {
      id: newId("sub", tx.now),
      url: input.url,
      events: JSON.stringify(input.events),
      description: input.description,
      disabled_reason: null,
      created_at: tx.now,
      updated_at: tx.now,
    };
    saveSubscription(tx.sql, row);
    const own = hasOwnSecret(tx.sql, ORG_OWNER) ? {} : { secret: addSecret(tx, row.id, 0) };
    const body = { ...toWebhook(tx, row), ...own };
    return done(201, body, { target: row.id, detail: { url: row.url, events: input.events } });
  },
});
