import { invalidField, type Refusal } from "../../contract/refusal.ts";
import { webhookUrlProblem } from "../../domain/webhook/url.ts";
import { addressProblem, outboundRules } from "../../outbound/post.ts";
import type { Settings } from "../../settings.ts";

const RESOLVE_MS = 3000;

/**
 * Refuses an address that cannot be delivered to. A name that does not resolve now is accepted: it is checked again at
 * each delivery and may exist by then.
 */
export async function checkWebhookUrl(
  url: string | undefined,
  settings: Settings,
): Promise<Refusal<"validation_failed"> | null> {
  if (url === undefined) return null;
  const rules = outboundRules(settings);
  const problem = webhookUrlProblem(url, rules);
  if (problem !== null) return invalidField("url", "invalid_value", problem);
  const resolved = await Promise.race([addressProblem(url, rules), scheduler.wait(RESOLVE_MS)]);
  return resolved === "address_refused"
    ? invalidField("url", "invalid_value", "must not point to a private address")
    : null;
}
