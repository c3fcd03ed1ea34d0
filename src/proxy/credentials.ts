import { KEY_HEADERS } from "../domain/network/relayed-header.ts";
import { providerAt } from "../providers/by-url.ts";
import { providerNamed } from "../providers/table.ts";
import type { AwsCredentials, Provider } from "../providers/provider.ts";
import type { OrgKey } from "./org-keys.ts";
import type { Target } from "./target.ts";

/** Carries the Sluice key of a caller whose SDK sends a provider's key as its own. */
export const SLUICE_KEY_HEADER = "x-sluice-key";

/** The keys that a call carries to its provider, and to the service. */
export interface Credentials {
  /** The Sluice key. Null: none was sent. */
  readonly key: string | null;
  /** The caller's own key of the provider, in the header in which it came. Null: the proxy's is used. */
  readonly own: readonly [name: string, value: string] | null;
}

/** Looks like one of ours, so it is sent nowhere else; or is a signature, which is for this address and no key. */
const NOT_THEIRS = /svc_|^AWS4-/;

/**
 * The keys that a caller sent. With the Sluice key in a header of its own, what the SDK sends as its key is the provider's, where the
 * operator allows it.
 */
export function credentialsIn(headers: Headers, ownKeys: boolean): Credentials {
  const named = headers.get(SLUICE_KEY_HEADER)?.replace(/^Bearer +/i, "") ?? null;
  if (named === null) {
    const bearer = /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
    return { key: bearer ?? headers.get("x-api-key") ?? headers.get("x-goog-api-key"), own: null };
  }
  const sent = ownKeys ? KEY_HEADERS.find((name) => headers.has(name)) : undefined;
  const value = sent === undefined ? null : headers.get(sent);
  const isTheirs = sent !== undefined && value !== null && !NOT_THEIRS.test(value);
  return { key: named, own: isTheirs ? [sent, value] : null };
}

/** The owner of the provider's key that a call goes with. */
export type KeyOf = "caller" | "org" | "proxy";

/** How a call gets to its provider. */
export interface Access {
  readonly url: string;
  /** The headers that are sent beside those of the caller: the key of the provider above all. */
  readonly headers: readonly (readonly [string, string])[];
  /** The credentials that sign the request. Null: the key is in the headers, or there is none. */
  readonly signsWith: AwsCredentials | null;
  readonly keyOf: KeyOf;
  /** True if the address is not known to be the provider's own: the org or the operator gave it to a name of theirs. */
  readonly isOtherHost: boolean;
  /** The operator's other keys and hosts for the same models. */
  readonly others: readonly Omit<Access, "others">[];
}

interface OfferedKeys {
  readonly own: Credentials["own"];
  /** Of the org. Null: it has none for this call. */
  readonly orgKey: OrgKey | null;
}

/** The caller's own key goes before its org's, and that before the proxy's. Null: there is none, or no address. */
export function accessTo(target: Target, { own, orgKey }: OfferedKeys): Access | null {
  const { access, provider } = target;
  const { key, headers = {} } = access;
  const orgUrl = own === null ? (orgKey?.base_url ?? null) : null;
  const url = orgUrl ?? access.url ?? provider.url;
  if (url === null) return null;
  const isNamed = orgUrl === null && providerNamed(target.name) !== undefined;
  const isOther = (address: string) =>
    !isNamed && !(URL.canParse(address) && providerAt(new URL(address)) !== undefined);
  const isOtherHost = isOther(url);
  const operators = Object.entries(headers);
  if (own !== null)
    return { url, headers: [...operators, own], signsWith: null, keyOf: "caller", isOtherHost, others: [] };
  if (orgKey !== null) {
    const { secret, headers: its } = orgKey;
    return { url, ...withKey(provider, Object.entries(its), secret), keyOf: "org", isOtherHost, others: [] };
  }
  const needsNone = provider.needsKey === false && access.url !== undefined;
  if (!key && !needsNone) return null;
  const others = (access.more ?? []).map((more) => ({
    url: more.url ?? url,
    ...withKey(provider, operators, more.key ?? key),
    keyOf: "proxy" as const,
    isOtherHost: isOther(more.url ?? url),
  }));
  return { url, ...withKey(provider, operators, key), keyOf: "proxy", isOtherHost, others };
}

/** A key goes into a header, or signs the request. */
function withKey(
  { auth, signsWith }: Provider,
  headers: Access["headers"],
  key: string | undefined,
): Pick<Access, "headers" | "signsWith"> {
  if (!key) return { headers, signsWith: null };
  const credentials = signsWith?.(key) ?? null;
  return credentials === null
    ? { headers: [...headers, auth(key)], signsWith: null }
    : { headers, signsWith: credentials };
}

/** Returns whether an org's key serves a model. A call without a model is served by a key for all. */
export function servesModel({ models }: OrgKey, model: string | undefined): boolean {
  if (models === null) return true;
  if (model === undefined) return false;
  return models.some((name) => (name.endsWith("*") ? model.startsWith(name.slice(0, -1)) : model === name));
}

/** The parts of an access that must be seen nowhere. */
export function secretsIn({ headers, signsWith }: Pick<Access, "headers" | "signsWith">): string[] {
  const { accessKeyId = "", secretAccessKey = "", sessionToken = "" } = signsWith ?? {};
  const sent = headers.map(([, value]) => value.replace(/^Bearer +/i, ""));
  return [...sent, secretAccessKey, sessionToken, accessKeyId].filter((secret) => secret.length >= 8);
}
