import { refuse } from "../../contract/refusal.ts";
import { sameSecret } from "../../domain/key/api-key.ts";
import { derivedOrgToken } from "../../domain/key/org-token.ts";
import { peppersOf } from "../../settings.ts";
import { command, done, type Tx, type View } from "../kernel/door.ts";
import { DUE } from "../kernel/due-kinds.ts";
import {
  confirmedRecipients,
  isUnsubscribed,
  loadSubscription,
  recipientsOf,
  type SubscriptionRow,
} from "./subscriptions.ts";
import { insertRow } from "../../storage/rows.ts";

/** The subject of a link: one address of one subscription. */
interface SubscriptionRef {
  readonly subscriptionId: string;
  readonly address: string;
}

/** The link by which an address takes itself off a subscription. It is in each mail, and in the headers of it. */
export function unsubscribeLink({ settings, orgId }: View, named: SubscriptionRef): string {
  const token = tokenOf(settings.SVC_KEY_PEPPER, orgId, named);
  return new URL(`/unsubscribe?token=${encodeURIComponent(token)}`, settings.SVC_BASE_URL).href;
}

function tokenOf(pepper: string, orgId: string, { subscriptionId, address }: SubscriptionRef): string {
  return derivedOrgToken(pepper, "unsubscribe", orgId, JSON.stringify([subscriptionId, address]));
}

/** Whoever has the link read a mail to the address. It works as often as it is followed, and changes something once. */
export const unsubscribeEmail = command({
  action: "email.unsubscribed",
  admitsItself: () => true,
  refuses: ["gone", "conflict"],
  run(tx, { token }: { token: string }) {
    const found = namedBy(tx, token);
    if (found === null) return refuse("gone");
    const { subscription, address } = found;
    if (isUnsubscribed(tx.sql, subscription.id, address)) return refuse("conflict");
    insertRow(tx.sql, "email_unsubscribed", { subscription_id: subscription.id, address, at: tx.now });
    if (confirmedRecipients(tx.sql, subscription).length === 0) dropQueue(tx, subscription.id);
    return done(200, { address }, { target: address, detail: { webhook_id: subscription.id } });
  },
});

/** An org has few subscriptions, of few addresses each, so that all of their links can be made again. */
function namedBy(
  { sql, settings, orgId }: View,
  token: string,
): { readonly subscription: SubscriptionRow; readonly address: string } | null {
  const rows = sql.exec<{ id: string }>("SELECT id FROM webhook_subscriptions WHERE format = 'email'");
  for (const { id } of rows.toArray()) {
    const subscription = loadSubscription(sql, id);
    if (subscription === null) continue;
    const address = recipientsOf(subscription).find((one) =>
      peppersOf(settings).some((pepper) =>
        sameSecret(tokenOf(pepper, orgId, { subscriptionId: id, address: one }), token),
      ),
    );
    if (address !== undefined) return { subscription, address };
  }
  return null;
}

/** A mail that waits for nobody would be tried until the subscription is disabled. */
function dropQueue(tx: Tx, subscriptionId: string): void {
  tx.sql.exec(
    "DELETE FROM webhook_deliveries WHERE subscription_id = ? AND status = 'pending'",
    subscriptionId,
  );
  tx.schedule(DUE.delivery, subscriptionId, null);
}
