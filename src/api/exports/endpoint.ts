import type { FieldError } from "../../contract/error-details.ts";
import { webhookUrlProblem } from "../../domain/webhook-url.ts";
import { addressProblem, outboundRules } from "../../outbound/post.ts";
import type { Settings } from "../../settings.ts";

const RESOLVE_MS = 3000;
const FIELD = "destination.endpoint";

/** Why nothing can be written to an address. What its name resolves to is checked again at each file. */
export async function endpointErrors(endpoint: string, settings: Settings): Promise<FieldError[]> {
  const problem = await endpointProblem(endpoint, settings);
  return problem === null ? [] : [{ field: FIELD, code: "invalid_value", message: problem }];
}

async function endpointProblem(endpoint: string, settings: Settings): Promise<string | null> {
  const rules = outboundRules(settings);
  const problem = webhookUrlProblem(endpoint, rules);
  if (problem !== null) return problem;
  const { pathname, search, hash } = new URL(endpoint);
  if (pathname !== "/" || search !== "" || hash !== "" || endpoint.includes("?") || endpoint.includes("#")) {
    return "must have no path, query or fragment";
  }
  const resolved = await Promise.race([addressProblem(endpoint, rules), scheduler.wait(RESOLVE_MS)]);
  return resolved === "address_refused" ? "must not point to a private address" : null;
}
