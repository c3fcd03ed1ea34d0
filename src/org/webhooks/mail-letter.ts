import type { MailText } from "../../domain/message/email.ts";
import { sendMail } from "../../outbound/mail.ts";
import type { Posted } from "../../outbound/post.ts";
import type { OrgEnv } from "../kernel/door.ts";
import { messageBody, type MessageDraft } from "./message-letter.ts";

/** One mail to all who have confirmed that they want it, so that a retry sends it to nobody twice. */
export async function sendMessage({ EMAIL }: OrgEnv, draft: MessageDraft, from: string): Promise<Posted> {
  const failed = { statusCode: null, retryAfterMs: null, latencyMs: 0, excerpt: "" };
  if (EMAIL === undefined) return { ...failed, error: "connection_failed" };
  if (draft.recipients.length === 0) return { ...failed, error: "unconfirmed" };
  const text = JSON.parse(messageBody(draft)) as MailText;
  return sendMail(EMAIL, { from, to: draft.recipients, ...text });
}
