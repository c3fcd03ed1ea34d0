import type { Digest } from "../../contract/resources/digests.ts";
import { nextDigestAt } from "../../domain/digest/schedule.ts";
import { transaction } from "../../storage/transaction.ts";
import type { Tx } from "../kernel/door.ts";
import { DUE } from "../kernel/due-kinds.ts";
import type { DueHandler } from "../kernel/due/handler.ts";
import { scheduleDue } from "../kernel/due/table.ts";
import { recordEvents } from "../kernel/events/append.ts";
import { performDue } from "../kernel/perform/perform.ts";
import { enqueue } from "../webhooks/queue.ts";
import { confirmedRecipients, loadSubscription } from "../webhooks/subscriptions.ts";
import { factsOf } from "./facts.ts";
import { type DigestRow, loadDigest, receiversOf, timeOf } from "./store.ts";

/** If the object goes down meanwhile, it is made then. */
const RETRY_MS = 60_000;

/**
 * Makes the digest of one period. It is stored, queued and counted as made in one transaction, so there is one for each period,
 * whatever happens in between. Periods that passed while nothing ran are made one after another.
 */
export const makeDigest: DueHandler = {
  kind: "work",
  async run(object, name) {
    const { storage } = object;
    const read = transaction(storage, (sql) => {
      const view = { ...object.view(), sql };
      const row = loadDigest(sql, name);
      const isDue = row !== null && row.next_at <= view.now;
      scheduleDue(sql, DUE.digest, name, isDue ? view.now + RETRY_MS : (row?.next_at ?? null));
      if (!isDue) return null;
      return { row, facts: factsOf(view, row, row.next_at) };
    });
    if (read === null) return;
    const { digestOf } = await import("../../domain/digest/digest.ts");
    const digest = digestOf(read.facts);
    performDue(storage, object.view(), (tx) => send(tx, read.row, digest));
  },
};

function send(tx: Tx, made: DigestRow, digest: Digest): void {
  const row = loadDigest(tx.sql, made.name);
  // Changed, deleted or made meanwhile.
  if (row === null || row.next_at !== made.next_at) return;
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
