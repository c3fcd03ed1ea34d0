import { KEY_HEADERS } from "./headers.ts";
import type { Target } from "./target.ts";

/** Carries the Sluice key of a caller whose SDK sends a provider's key as its own. */
export const SLUICE_KEY_HEADER = "x-sluice-key";

/** What a call carries to its provider, and to the service. */
export interface Credentials {
  /** The Sluice key. Null: none was sent. */
  readonly key: string | null;
  /** The caller's own key of the provider, in the header in which it came. Null: the proxy's is used. */
  readonly own: readonly [name: string, value: string] | null;
}

/** Looks like one of ours, so it is sent nowhere else. */
const OURS = /svc_/;

/**
 * The keys that a caller sent. With the Sluice key in a header of its own, what the SDK sends as its key is the provider's, where the
 * operator allows it.
 */
export function credentialsIn(headers: Headers, ownKeys: boolean): Credentials {
  const named = headers.get(SLUICE_KEY_HEADER);
  if (named === null) {
    const bearer = /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
    return { key: bearer ?? headers.get("x-api-key") ?? headers.get("x-goog-api-key"), own: null };
  }
  const sent = ownKeys ? KEY_HEADERS.find((name) => headers.has(name)) : undefined;
  const value = sent === undefined ? null : headers.get(sent);
  const isTheirs = sent !== undefined && value !== null && !OURS.test(value);
  return { key: named, own: isTheirs ? [sent, value] : null };
}

/** The headers that a provider is sent beside those of the caller. Null: there is no key for it. */
export function headersFor(
  { access, provider }: Target,
  own: Credentials["own"],
): (readonly [string, string])[] | null {
  const { url, headers = {} } = access;
  const hasAccess = Boolean(access.key) || (provider.needsKey === false && url !== undefined);
  if (own === null && !hasAccess) return null;
  const key = own ?? (access.key ? provider.auth(access.key) : null);
  return [...Object.entries(headers), ...(key === null ? [] : [key])];
}

/** The parts of headers that must be seen nowhere. */
export function secretsIn(headers: readonly (readonly [string, string])[]): string[] {
  return headers.map(([, value]) => value.replace(/^Bearer +/i, "")).filter((secret) => secret.length >= 8);
}
