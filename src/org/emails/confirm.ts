import { DAY_MS } from "../../contract/durations.ts";
import { refuse } from "../../contract/refusal.ts";
import { mintOrgToken, tokenDigest } from "../../domain/key/org-token.ts";
import { digestPair } from "../../domain/key/peppers.ts";
import { transaction } from "../../storage/transaction.ts";
import { command, done, type View } from "../kernel/door.ts";
import { DUE } from "../kernel/due-kinds.ts";
import type { DueHandler } from "../kernel/due/handler.ts";
import { scheduleDue } from "../kernel/due/table.ts";
import { loadEmail, mayBeMailed } from "./addresses.ts";

/** How long a link works. */
const LINK_MS = 3 * DAY_MS;

/** Mails the link by which an address confirms itself. It is counted before it is sent, so that no failure sends more. */
export const mailLink: DueHandler = {
  kind: "work",
  async run(object, address) {
    const { storage, env } = object;
    const seen = object.view();
    const token = transaction(storage, (sql) => newLink({ ...seen, sql }, address));
    if (token === null || env.EMAIL === undefined) return;
    const { confirmationMail } = await import("../../domain/message/confirmation.ts");
    const { sendMail } = await import("../../outbound/mail.ts");
    const { SVC_BASE_URL: base, SVC_EMAIL_FROM: from } = seen.settings;
    const link = new URL(`/confirm-email?token=${encodeURIComponent(token)}`, base).href;
    await sendMail(env.EMAIL, { from, to: [address], ...confirmationMail(link, seen.profile().name) });
  },
};

/** Null if nothing is to be mailed. */
function newLink({ sql, now, settings, orgId }: View, address: string): string | null {
  scheduleDue(sql, DUE.email, address, null);
  const row = loadEmail(sql, address);
  if (row === null || !mayBeMailed(row, now)) return null;
  const token = mintOrgToken(settings.SVC_KEY_PEPPER, "email", orgId);
  sql.exec(
    "UPDATE email_addresses SET mails = mails + 1, mailed_at = ?, token = ?, expires_at = ? WHERE address = ?",
    now,
    tokenDigest(settings.SVC_KEY_PEPPER, token),
    now + LINK_MS,
    address,
  );
  return token;
}

/** Whoever has the link reads the address's mail. It works once. */
export const confirmEmail = command({
  action: "email.confirmed",
  admitsItself: () => true,
  refuses: ["gone"],
  run(tx, { link }: { link: string }) {
    const [row] = tx.sql
      .exec<{ address: string }>(
        `UPDATE email_addresses SET confirmed_at = ?, token = NULL, expires_at = NULL
         WHERE token IN (?, ?) AND expires_at > ? RETURNING address`,
        tx.now,
        ...digestPair(link),
        tx.now,
      )
      .toArray();
    if (row === undefined) return refuse("gone");
    return done(200, { address: row.address }, { target: row.address });
  },
});
