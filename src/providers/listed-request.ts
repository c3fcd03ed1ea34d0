import { isRelayedHeader } from "../domain/network/relayed-header.ts";
import { quoted, refuseUnlisted } from "./body/strict-json.ts";
import type { JsonObject } from "./json.ts";
import type { MeteredRequest, ProviderApi, RequestContext } from "./provider-api.ts";
import { Unmetered } from "./unmetered.ts";

/** The beginnings of headers that providers read: what they choose may have a price, or hide what was billed. */
const PROVIDERS_OWN = ["anthropic-", "openai-", "x-goog-", "x-amzn-", "x-ms-"] as const;
/**
 * Reads a request, of which nothing is unknown: no member of its body, no name of its query, and no header that the provider
 * reads. Throws `Unmetered`.
 */
export function readListedRequest(
  api: ProviderApi,
  body: JsonObject,
  context: RequestContext,
): MeteredRequest {
  // What an API says of a member is clearer than that no list has it.
  const request = api.readRequest(body, context);
  refuseUnlisted(body, api.members);
  const name = [...context.query.keys()].find((each) => api.queryNames?.has(each) !== true);
  if (name !== undefined)
    throw new Unmetered(
      403,
      `${quoted(name)} in the query is not metered by this proxy. Leave it out of the address.`,
    );
  const header = [...context.headers.keys()].find((each) => isUnlisted(api, each));
  if (header !== undefined)
    throw new Unmetered(403, `The header ${quoted(header)} is not metered by this proxy. Leave it out.`);
  return request;
}

function isUnlisted({ ownHeaders }: ProviderApi, header: string): boolean {
  const isProvidersOwn = PROVIDERS_OWN.some((prefix) => header.startsWith(prefix));
  return isProvidersOwn && isRelayedHeader(header) && ownHeaders?.has(header) !== true;
}
