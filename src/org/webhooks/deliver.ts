import { DUE } from "../kernel/due-kinds.ts";
import { deprecationHeaders, V1_DELIVERIES } from "../../contract/deprecations.ts";
import { deliverySeries } from "../../contract/metrics.ts";
import { type NextStep, nextStep } from "../../domain/webhook/delivery.ts";
import { childTraceParent } from "../../domain/text/traceparent.ts";
import { signatureHeaders } from "../../domain/webhook/signature.ts";
import { limitIn } from "../../domain/message/event-data.ts";
import type { MessageFormat } from "../../contract/webhook-formats.ts";
import type { PostResult } from "../../outbound/post.ts";
import { sendApart } from "../../outbound/sender.ts";
import { transaction } from "../../storage/transaction.ts";
import type { OrgEnv, Tx, CheckpointedView } from "../kernel/door.ts";
import type { DueHandler } from "../kernel/due/handler.ts";
import { scheduleDue } from "../kernel/due/table.ts";
import { eventLetter, fullEvent } from "../events/letter.ts";
import { performDue } from "../kernel/perform/perform.ts";
import { meterName } from "../meters/store.ts";
import { addressOf } from "./address.ts";
import type { MailedPost } from "./mail-letter.ts";
import type { MessageDraft } from "./message-letter.ts";
import { attemptsOf, type DeliveryRow, headOf } from "./queue.ts";
import { signingOf } from "./secrets.ts";
import {
  confirmedRecipients,
  loadSubscription,
  saveSubscription,
  type SubscriptionRow,
} from "./subscriptions.ts";
import { unsubscribeLink } from "./unsubscribe.ts";

/** Longer than any attempt takes. If the object goes down, the attempt is repeated then. */
const LEASE_MS = 30_000;

type SentDelivery = PostResult & Partial<Pick<MailedPost, "mailed">>;

interface Attempt {
  readonly delivery: DeliveryRow;
  readonly url: string;
  /** The body. Empty if it is written from the draft. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The draft of a message for a product. */
  readonly draft: MessageDraft | null;
}

/**
 * Works through one subscription's queue until its head has to wait. Every step may happen twice: an attempt whose
 * outcome was not recorded is repeated with the same ids, and an outcome is recorded once.
 */
export const deliverQueue: DueHandler = {
  kind: "work",
  async run(object, subscriptionId) {
    const { storage } = object;
    for (;;) {
      const attempt = transaction(storage, (sql) =>
        nextAttempt({ ...object.view(), sql }, subscriptionId, Date.now()),
      );
      if (attempt === null) return;
      const posted = await send(object.env, attempt, object.view().settings.SVC_EMAIL_FROM);
      performDue(storage, object.view(), (tx) => recordAttempt(tx, attempt.delivery, posted));
    }
  },
};

/** The head in the form to send, if it is due, and moves the due row to the next time to look. */
function nextAttempt(view: CheckpointedView, subscriptionId: string, sentAtMs: number): Attempt | null {
  const { sql, now } = view;
  const subscription = loadSubscription(sql, subscriptionId);
  const delivery = subscription?.disabled_reason === null ? headOf(sql, subscriptionId) : null;
  if (subscription === null || delivery === null) {
    scheduleDue(sql, DUE.delivery, subscriptionId, null);
    return null;
  }
  const dueAt = delivery.next_attempt_at ?? now;
  scheduleDue(sql, DUE.delivery, subscriptionId, dueAt > now ? dueAt : now + LEASE_MS);
  return dueAt > now ? null : toAttempt(view, subscription, delivery, sentAtMs);
}

/** Signed with the real time even if the org's clock was moved, because receivers compare it with their own clocks. */
function toAttempt(
  view: CheckpointedView,
  subscription: SubscriptionRow,
  delivery: DeliveryRow,
  sentAtMs: number,
): Attempt {
  if (subscription.format !== "sluice")
    return messageAttempt(view, subscription.format, subscription, delivery);
  const { id, url } = subscription;
  const { body, parent } = eventLetter(view, delivery.event_id);
  const signing = signingOf(view, id);
  return {
    delivery,
    url,
    body,
    draft: null,
    headers: {
      "content-type": "application/json",
      "user-agent": "Sluice-Webhooks/1",
      ...signatureHeaders(signing, { eventId: delivery.event_id, body, sentAtMs }),
      "x-svc-event-id": delivery.event_id,
      "x-svc-delivery-id": delivery.id,
      "x-svc-delivery-attempt": String(delivery.attempts + 1),
      ...(parent === null ? {} : { traceparent: childTraceParent(parent, newSpanId()) }),
      ...(signing.scheme === "v1" ? deprecationHeaders(V1_DELIVERIES, view.settings.SVC_DOCS_URL) : {}),
    },
  };
}

/** A message has no signature, and none of our headers: products read none. */
function messageAttempt(
  view: CheckpointedView,
  format: MessageFormat,
  subscription: SubscriptionRow,
  delivery: DeliveryRow,
): Attempt {
  const { event_id: eventId, folded, resolves } = delivery;
  const event = resolves === null ? fullEvent(view, eventId) : null;
  const address = addressOf(view, subscription);
  const { id: orgId, name: orgName } = view.profile();
  const limit = event === null ? null : limitIn(event.type, event.data);
  const limitName = limit === null ? null : meterName(view.sql, limit);
  const baseUrl = view.settings.SVC_BASE_URL;
  return {
    delivery,
    url: address.url,
    body: "",
    headers: { "content-type": "application/json", "user-agent": "Sluice-Webhooks/1" },
    draft: {
      format,
      address,
      recipients: recipientsLeft(view, subscription, delivery),
      orgId,
      orgName,
      baseUrl,
      event,
      limitName,
      otherEvents: folded,
      resolves,
    },
  };
}

/** Returns the recipients who have not got this mail yet. */
function recipientsLeft(view: CheckpointedView, subscription: SubscriptionRow, { mailed }: DeliveryRow) {
  const { id: subscriptionId } = subscription;
  const got = new Set(mailedIn(mailed));
  return confirmedRecipients(view.sql, subscription)
    .filter((address) => !got.has(address))
    .map((address) => ({ address, unsubscribe: unsubscribeLink(view, { subscriptionId, address }) }));
}

const mailedIn = (mailed: string | null) => JSON.parse(mailed ?? "[]") as string[];

/** Messages are written by code that is loaded when an org has a webhook of such a format: few have one. */
async function send(
  env: OrgEnv,
  { url, headers, body, draft }: Attempt,
  from: string,
): Promise<SentDelivery> {
  if (draft === null) return sendApart({ url, headers, body });
  if (draft.format === "email") return (await import("./mail-letter.ts")).sendMessage(env, draft, from);
  const { messageBody, withoutSecret } = await import("./message-letter.ts");
  return withoutSecret(draft, await sendApart({ url, headers, body: messageBody(draft) }));
}

function newSpanId(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString("hex");
}

function recordAttempt(tx: Tx, { id, attempts }: DeliveryRow, posted: SentDelivery): void {
  const { sql, now } = tx;
  const row = sql
    .exec<DeliveryRow>("SELECT * FROM webhook_deliveries WHERE id = ? AND attempts = ?", id, attempts)
    .toArray()[0];
  // Deleted with its subscription, or already recorded.
  if (row === undefined) return;
  const made = attempts + 1;
  const step = nextStep(id, made, posted);
  const entry = {
    attempt: made,
    at: new Date(now).toISOString(),
    response_status: posted.statusCode,
    latency_ms: posted.latencyMs,
    error: posted.error,
    response_excerpt: posted.excerpt,
  };
  const nextAt = step.status === "pending" ? now + step.waitMs : null;
  sql.exec(
    `UPDATE webhook_deliveries
     SET status = ?, attempts = ?, next_attempt_at = ?, attempt_log = ?, completed_at = ? WHERE id = ?`,
    step.status,
    made,
    nextAt,
    JSON.stringify([...attemptsOf(row), entry]),
    step.status === "pending" ? null : now,
    id,
  );
  const got = posted.mailed ?? [];
  if (step.status === "pending" && got.length > 0) {
    const all = JSON.stringify([...mailedIn(row.mailed), ...got]);
    sql.exec("UPDATE webhook_deliveries SET mailed = ? WHERE id = ?", all, id);
  }
  if (step.status === "failed") disable(tx, row, step.disables);
  tx.count(deliverySeries(outcomeOf(step)));
}

function outcomeOf(step: NextStep) {
  if (step.status === "failed") return step.disables;
  return step.status === "pending" ? "retried" : "succeeded";
}

function disable(tx: Tx, delivery: DeliveryRow, reason: "gone" | "exhausted"): void {
  const subscription = loadSubscription(tx.sql, delivery.subscription_id);
  if (subscription === null || subscription.disabled_reason !== null) return;
  saveSubscription(tx.sql, { ...subscription, disabled_reason: reason, updated_at: tx.now });
  const detail = { webhook_id: subscription.id, url: subscription.url, reason, delivery_id: delivery.id };
  tx.emit("webhook.disabled", detail);
  tx.record({ action: "webhook.disabled", target: subscription.id, outcome: "done", detail });
}
