import { isRefusal } from "../../contract/refusal.ts";
import type { NewWebhook } from "../../contract/resources/webhooks.ts";
import { PAGERDUTY_URL } from "../../domain/message/address.ts";
import { newId } from "../../domain/bytes/ulid.ts";
import { command, done } from "../kernel/door.ts";
import { mailAddress, storedAddress } from "./address.ts";
import { addSecret, hasOwnSecret, ORG_OWNER } from "./secrets.ts";
import { saveSubscription, watchFor, type SubscriptionRow, toWebhook } from "./subscriptions.ts";
import { refuseMore } from "../kernel/resource.ts";
import { countRows } from "../../storage/rows.ts";

/** The maximum per org. Each event may go to all of them, and each may have one request in progress. */
const MAX_SUBSCRIPTIONS = 50;

/** Nothing of our own format is ever sent unsigned: if the org has no shared secret, the subscription gets its own. */
export const createWebhook = command({
  action: "webhook.created",
  refuses: ["conflict", "validation_failed"],
  run(
    tx,
    { kind, to = [], format: wanted, url = PAGERDUTY_URL, routing_key: routingKey, ...input }: NewWebhook,
  ) {
    if (countRows(tx.sql, "webhook_subscriptions") >= MAX_SUBSCRIPTIONS) {
      return refuseMore(MAX_SUBSCRIPTIONS, "webhooks");
    }
    const format = kind === "email" ? kind : wanted;
    const address =
      format === "email"
        ? mailAddress(tx, to)
        : storedAddress(tx, format, { url, routingKey: routingKey ?? null });
    if (isRefusal(address)) return address;
    const row: SubscriptionRow = {
      id: newId("sub", tx.now),
      events: JSON.stringify(input.events),
      description: input.description,
      disabled_reason: null,
      created_at: tx.now,
      updated_at: tx.now,
      format,
      ...address,
    };
    saveSubscription(tx.sql, row);
    watchFor(tx, row);
    const isSigned = format === "sluice" && !hasOwnSecret(tx.sql, ORG_OWNER);
    const own = isSigned ? { secret: addSecret(tx, row.id, 0) } : {};
    const body = { ...toWebhook(tx, row), ...own };
    const detail = { url: row.url, events: input.events, ...(format === "sluice" ? {} : { format }) };
    return done(201, body, { target: row.id, detail });
  },
});
