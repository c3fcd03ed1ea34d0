import { type MailText, withUnsubscribe } from "../../domain/message/email.ts";
import { sendMail } from "../../outbound/mail.ts";
import type { PostResult } from "../../outbound/post.ts";
import type { OrgEnv } from "../kernel/door.ts";
import { messageBody, type MessageDraft } from "./message-letter.ts";

/** How sending went, and who got it. */
export interface MailedPost extends PostResult {
  readonly mailed: readonly string[];
}

/**
 * One mail to each who has confirmed that they want it and has not got it yet, with a link of their own. It fails if one of them
 * does; who got it is not sent it again.
 */
export async function sendMessage({ EMAIL }: OrgEnv, draft: MessageDraft, from: string): Promise<MailedPost> {
  const failed = { statusCode: null, retryAfterMs: null, latencyMs: 0, excerpt: "", mailed: [] };
  if (EMAIL === undefined) return { ...failed, error: "connection_failed" };
  const text = JSON.parse(messageBody(draft)) as MailText;
  const sent = await Promise.all(
    draft.recipients.map(async ({ address, unsubscribe }) => ({
      address,
      posted: await sendMail(EMAIL, { from, to: [address], ...withUnsubscribe(text, unsubscribe) }),
    })),
  );
  const worst = sent.find(({ posted }) => posted.error !== null) ?? sent[0];
  if (worst === undefined) return { ...failed, error: "unconfirmed" };
  return {
    ...worst.posted,
    mailed: sent.filter(({ posted }) => posted.error === null).map(({ address }) => address),
  };
}
