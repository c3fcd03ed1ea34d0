import { invalidField, type Refusal } from "../../contract/refusal.ts";
import { webhookUrlProblem } from "../../domain/webhook-url.ts";
import { addressProblem, outboundRules } from "../../outbound/post.ts";
import type { Settings } from "../../settings.ts";

const RESOLVE_MS = 3000;
const FIELD = "destination.endpoint";

/** Refuses an address that nothing can be written to. What its name resolves to is checked again at each file. */
export async function checkEndpoint(
  endpoint: string,
  settings: Settings,
): Promise<Refusal<"validation_failed"> | null> {
  const rules = outboundRules(settings);
  const problem = webhookUrlProblem(endpoint, rules);
  if (problem !== null) return invalidField(FIELD, "invalid_value", problem);
  const { pathname, search, hash } = new URL(endpoint);
  if (pathname !== "/" || search !== "" || hash !== "" || endpoint.includes("?") || endpoint.includes("#")) {
    return invalidField(FIELD, "invalid_value", "must have no path, query or fragment");
  }
  const resolved = await Promise.race([addressProblem(endpoint, rules), scheduler.wait(RESOLVE_MS)]);
  return resolved === "address_refused"
    ? invalidField(FIELD, "invalid_value", "must not point to a private address")
    : null;
}
