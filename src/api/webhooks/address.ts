import { invalidField, type Refusal } from "../../contract/refusal.ts";
import { webhookUrlProblem } from "../../domain/webhook-url.ts";
import { addressProblem, outboundRules } from "../../outbound/post.ts";
import type { Settings } from "../../settings.ts";

const RESOLVE_MS = 3000;

/**
 * Refuses an address that may not be delivered to. A name that does not resolve now is let through: it is
 * judged again at each delivery, and may by then exist.
 */
export async function checkWebhookUrl(
  url: string,
  settings: Settings,
): Promise<Refusal<"validation_failed"> | null> {
  const rules = outboundRules(settings);
  const problem = webhookUrlProblem(url, rules);
  if (problem !== null) return invalidField("url", "invalid_value", problem);
  const resolved = await Promise.race([addressProblem(url, rules), scheduler.wait(RESOLVE_MS)]);
  return resolved === "address_refused"
    ? invalidField("url", "invalid_value", "must not point to a private address")
    : null;
}
