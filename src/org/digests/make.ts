import type { Digest } from "../../contract/resources/digests.ts";
import { nextDigestAt } from "../../domain/digest/schedule.ts";
import type { Tx } from "../kernel/door.ts";
import { DUE } from "../kernel/due-kinds.ts";
import type { DueHandler } from "../kernel/due/handler.ts";
import { recordEvents } from "../kernel/events/append.ts";
import { performDue } from "../kernel/perform/perform.ts";
import { enqueue } from "../webhooks/queue.ts";
import { confirmedRecipients, loadSubscription } from "../webhooks/subscriptions.ts";
import { factsOf } from "./facts.ts";
import { type DigestRow, loadDigest, receiversOf, timeOf } from "./store.ts";

/**
 * Makes the digest of one period. It is made, stored, queued and counted as made in one transaction, so there is one for each
 * period, whatever happens meanwhile. Periods that passed while nothing ran are made one after another.
 */
export const makeDigest: DueHandler = {
  kind: "work",
  async run(object, name) {
    const { digestOf } = await import("../../domain/digest/digest.ts");
    performDue(object.storage, object.view(), (tx) => {
      const row = loadDigest(tx.sql, name);
      if (row === null || row.next_at > tx.now) tx.schedule(DUE.digest, name, row?.next_at ?? null);
      else send(tx, row, digestOf(factsOf(tx, row, row.next_at)));
    });
  },
};

function send(tx: Tx, row: DigestRow, digest: Digest): void {
  const nextAt = nextDigestAt(timeOf(row), row.next_at);
  tx.sql.exec("UPDATE digests SET next_at = ? WHERE name = ?", nextAt, row.name);
  tx.schedule(DUE.digest, row.name, nextAt);
  const [id = ""] = recordEvents(tx, "digest.ready", [digest]);
  const hooks = receiversOf(row).filter((one) => !one.includes("@"));
  for (const subscriptionId of [...hooks, ...(row.mail_webhook === null ? [] : [row.mail_webhook])]) {
    const subscription = loadSubscription(tx.sql, subscriptionId);
    if (subscription === null || subscription.disabled_reason !== null) continue;
    if (subscription.format === "email" && confirmedRecipients(tx.sql, subscription).length === 0) continue;
    enqueue(tx.sql, { now: tx.now, subscriptionId, event: { id, type: "digest.ready" } });
  }
}
