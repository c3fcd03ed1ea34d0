import type { FieldError } from "../contract/error-details.ts";
import { webhookUrlProblem } from "../domain/webhook/url.ts";
import type { Settings } from "../settings.ts";
import { addressProblem, outboundRules } from "./post.ts";

const RESOLVE_MS = 3000;

interface Endpoint {
  readonly field: string;
  readonly url: string;
  readonly hasPath?: boolean;
}

/**
 * Returns why nothing can be sent to an address, by what its name resolves to now. A sender in this Worker checks that
 * again; the proxy relies on its runtime, which reaches public addresses alone.
 */
export async function endpointErrors(
  { field, url, hasPath = false }: Endpoint,
  settings: Settings,
): Promise<FieldError[]> {
  const problem = await endpointProblem(url, hasPath, settings);
  return problem === null ? [] : [{ field, code: "invalid_value", message: problem }];
}

async function endpointProblem(url: string, hasPath: boolean, settings: Settings): Promise<string | null> {
  const rules = outboundRules(settings);
  const problem = webhookUrlProblem(url, rules);
  if (problem !== null) return problem;
  const { pathname, search, hash } = new URL(url);
  if (
    search !== "" ||
    hash !== "" ||
    url.includes("?") ||
    url.includes("#") ||
    (!hasPath && pathname !== "/")
  ) {
    return `must have no ${hasPath ? "" : "path, "}query or fragment`;
  }
  const resolved = await Promise.race([addressProblem(url, rules), scheduler.wait(RESOLVE_MS)]);
  return resolved === "address_refused" ? "must not point to a private address" : null;
}
