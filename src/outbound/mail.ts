import type { MailText } from "../domain/message/email.ts";
import type { PostResult } from "./post.ts";

const TIMEOUT_MS = 15_000;

export interface Mail extends MailText {
  readonly from: string;
  readonly to: readonly string[];
}

/** Hands a mail over to the platform. Every outcome is a value, as for what is posted. */
export async function sendMail(
  binding: Pick<SendEmail, "send">,
  { from, to, subject, text, html, headers }: Mail,
  timeoutMs = TIMEOUT_MS,
): Promise<PostResult> {
  const startedAt = Date.now();
  const ended = (statusCode: number | null, error: PostResult["error"]): PostResult => ({
    statusCode,
    retryAfterMs: null,
    latencyMs: Date.now() - startedAt,
    error,
    excerpt: "",
  });
  const { promise: late, resolve } = Promise.withResolvers<"late">();
  const timer = setTimeout(() => resolve("late"), timeoutMs);
  try {
    const sent = await Promise.race([
      binding.send({
        from: { email: from, name: "Sluice" },
        to: [...to],
        subject,
        text,
        html,
        ...(headers === undefined ? {} : { headers: { ...headers } }),
      }),
      late,
    ]);
    return sent === "late" ? ended(null, "timeout") : ended(200, null);
  } catch {
    return ended(null, "connection_failed");
  } finally {
    clearTimeout(timer);
  }
}
