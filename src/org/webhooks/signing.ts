import { refuse } from "../../contract/refusal.ts";
import type { Signing } from "../../contract/resources/webhooks.ts";
import { command, done, query, type View } from "../kernel/door.ts";
import { addSecret, hasOwnSecret, ORG_OWNER, secretFacts } from "./secrets.ts";
import { countRows } from "../../storage/rows.ts";
import { loadSubscription } from "./subscriptions.ts";

function signingFacts(view: View, webhookId: string): Signing | null {
  if (loadSubscription(view.sql, webhookId)?.format !== "sluice") return null;
  const own = hasOwnSecret(view.sql, webhookId);
  const facts = secretFacts(view, own ? webhookId : ORG_OWNER);
  return facts === null ? null : { scheme: own ? "v2" : "v1", ...facts };
}

export const getSigning = query({
  refuses: ["not_found"],
  run: (view, input: { webhookId: string }) => signingFacts(view, input.webhookId) ?? refuse("not_found"),
});

const NOT_SIGNED =
  "Messages of this format are not signed. To replace its address or key, change the webhook.";

/** Gives a subscription its own secret, or a new one. From then on its deliveries are signed as v2. */
export const rotateSigning = command({
  action: "webhook.signing_rotated",
  refuses: ["not_found", "conflict"],
  current: (view, input: { webhookId: string; graceSeconds: number }) => signingFacts(view, input.webhookId),
  run(tx, { webhookId, graceSeconds }) {
    const subscription = loadSubscription(tx.sql, webhookId);
    if (subscription === null) return refuse("not_found");
    if (subscription.format !== "sluice") return refuse("conflict", {}, { message: NOT_SIGNED });
    const secret = addSecret(tx, webhookId, graceSeconds * 1000);
    const facts = signingFacts(tx, webhookId);
    if (facts === null) throw new Error("a webhook has no facts about the secret that it was just given");
    return done(201, { ...facts, secret }, { target: webhookId, detail: { grace_seconds: graceSeconds } });
  },
});

/** Subscriptions that still sign with the org's secret. */
function sharersOfOrgSecret(sql: SqlStorage): string[] {
  return sql
    .exec<{ id: string }>(
      `SELECT id FROM webhook_subscriptions
       WHERE format = 'sluice' AND id NOT IN (SELECT owner FROM webhook_secrets) ORDER BY id`,
    )
    .toArray()
    .map((row) => row.id);
}

export const getOrgWebhookSecret = query({
  refuses: ["not_found"],
  run(view, _input: object) {
    const facts = secretFacts(view, ORG_OWNER);
    if (facts === null) return refuse("not_found");
    const { secret_last4, created_at } = facts;
    return { secret_last4, created_at, in_use_by: sharersOfOrgSecret(view.sql) };
  },
});

/** Changes nothing once every subscription has its own secret, because nothing would be signed with the new one. */
export const rotateOrgWebhookSecret = command({
  action: "org.webhook_secret_rotated",
  refuses: [],
  run(tx, _input: object) {
    const unused = countRows(tx.sql, "webhook_subscriptions") > 0 && sharersOfOrgSecret(tx.sql).length === 0;
    if (unused) return done(200, { rotated: false }, { target: tx.orgId, detail: { rotated: false } });
    const secret = addSecret(tx, ORG_OWNER, 0);
    return done(200, { rotated: true, secret }, { target: tx.orgId, detail: { rotated: true } });
  },
});
