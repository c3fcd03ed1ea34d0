import type { WireRefusal } from "../providers/wire-refusal.ts";
import type { ServedProvider, ServedProviders } from "./served-providers.ts";

/** The provider and the path that a request asks for. */
export interface Target extends ServedProvider {
  /** The path after the prefix. */
  readonly path: string;
}

/**
 * The provider and the path on it. A path that a provider might read differently than we do is refused, so that no spelling
 * leads out of the prefix or past the price of a call.
 */
export function targetOf(pathname: string, providers: ServedProviders): Target | WireRefusal {
  const [, name = "", path = ""] = /^\/([^/]+)(\/.*)$/.exec(pathname) ?? [];
  const served = providers.get(name);
  if (served === undefined) {
    const prefixes = Array.from(providers.keys(), (known) => `/${known}/`);
    const message = `There is nothing here. Paths begin with ${prefixes.join(" or ")}.`;
    return { status: 404, code: "not_found", message, details: {} };
  }
  if (isPlain(path)) return { ...served, path: withoutPrefix(path, served.provider.sdkPrefix) };
  const message =
    "The path is ambiguous: send it without empty or dotted segments, and without encoded slashes or percent signs.";
  return { status: 400, code: "bad_request", message, details: {} };
}

function withoutPrefix(path: string, prefix: string | undefined): string {
  return prefix !== undefined && path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path;
}

/** Returns whether a path is the base URL of a provider, which some tools ask for before their first call. */
export function isBaseUrl(pathname: string, providers: ServedProviders): boolean {
  const [, name = ""] = /^\/([^/]+)\/?$/.exec(pathname) ?? [];
  return providers.has(name);
}

function isPlain(path: string): boolean {
  return path
    .slice(1)
    .split("/")
    .every((segment) => {
      const text = decoded(segment);
      // oxlint-disable-next-line no-control-regex -- controls are what must not be there
      return text !== null && text !== "" && !/^\.+$|[/\\%?#;\u0000-\u0020\u007f]/.test(text);
    });
}

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
