import type { FieldError } from "../../contract/error-details.ts";
import { invalidFields, isRefusal, refuse } from "../../contract/refusal.ts";
import type { NewDigest } from "../../contract/resources/digests.ts";
import { nextDigestAt } from "../../domain/digest/schedule.ts";
import { newId } from "../../domain/bytes/ulid.ts";
import { countRows, saveRow } from "../../storage/rows.ts";
import { command, done, type Tx } from "../kernel/door.ts";
import { DUE } from "../kernel/due-kinds.ts";
import { mailAddress, NO_MAIL } from "../webhooks/address.ts";
import { removeSubscription } from "../webhooks/change.ts";
import { loadSubscription, saveSubscription } from "../webhooks/subscriptions.ts";
import { digestNow, type DigestRow, loadDigest, toDigest } from "./store.ts";
import { refuseMore } from "../kernel/resource.ts";

const MOST_DIGESTS = 20;
const DIGEST_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

type SetDigest = NewDigest & { readonly name: string };

export const setDigest = command({
  action: "digest.set",
  refuses: ["conflict", "validation_failed"],
  current: digestNow,
  run(tx, { name, every, at, timezone, to }: SetDigest) {
    const before = loadDigest(tx.sql, name);
    if (before === null && countRows(tx.sql, "digests") >= MOST_DIGESTS) {
      return refuseMore(MOST_DIGESTS, "digests");
    }
    const wrong = wrongFields(tx, name, to);
    if (wrong.length > 0) return invalidFields(wrong);
    const mail = mailWebhook(
      tx,
      before,
      name,
      to.filter((one) => one.includes("@")),
    );
    if (isRefusal(mail)) return mail;
    const row: DigestRow = {
      name,
      every,
      at,
      timezone,
      receivers: JSON.stringify(to),
      mail_webhook: mail,
      next_at: nextDigestAt({ every, at, timeZone: timezone }, tx.now),
      created_at: before?.created_at ?? tx.now,
      updated_at: tx.now,
    };
    saveRow(tx.sql, "digests", row);
    tx.schedule(DUE.digest, name, row.next_at);
    return done(200, toDigest(row), { target: name, detail: { every, at, timezone, to } });
  },
});

function wrongFields({ sql, hasEmail }: Tx, name: string, to: readonly string[]): FieldError[] {
  const wrong: FieldError[] = [];
  if (!DIGEST_NAME.test(name)) {
    const message = "must be 1 to 64 characters of a-z, 0-9, _ and -";
    wrong.push({ field: "name", code: "invalid_format", message });
  }
  for (const [at, one] of to.entries()) {
    const field = `to[${at}]`;
    if (one.includes("@")) {
      if (!hasEmail) wrong.push({ field, code: "unavailable", message: NO_MAIL });
    } else if (loadSubscription(sql, one) === null) {
      const message = "must be a webhook of this organization, or an email address";
      wrong.push({ field, code: "invalid_value", message });
    }
  }
  return wrong;
}

/** Addresses get a digest through a webhook of its own, which hears of nothing else: one queue, one way to confirm. */
function mailWebhook(tx: Tx, before: DigestRow | null, name: string, addresses: readonly string[]) {
  const known = before?.mail_webhook ?? null;
  if (addresses.length === 0) {
    if (known !== null) removeSubscription(tx, known);
    return null;
  }
  const address = mailAddress(tx, addresses);
  if (isRefusal(address)) return address;
  const there = known === null ? null : loadSubscription(tx.sql, known);
  const id = there?.id ?? newId("sub", tx.now);
  saveSubscription(tx.sql, {
    id,
    events: "[]",
    description: `Digest ${name}`,
    disabled_reason: there?.disabled_reason ?? null,
    created_at: there?.created_at ?? tx.now,
    updated_at: tx.now,
    format: "email",
    ...address,
  });
  return id;
}

export const deleteDigest = command({
  action: "digest.deleted",
  refuses: ["not_found", "conflict"],
  current: digestNow,
  run(tx, { name }: { name: string }) {
    const row = loadDigest(tx.sql, name);
    if (row === null) return refuse("not_found");
    tx.sql.exec("DELETE FROM digests WHERE name = ?", name);
    if (row.mail_webhook !== null) removeSubscription(tx, row.mail_webhook);
    tx.schedule(DUE.digest, name, null);
    return done(204, null, { target: name });
  },
});
