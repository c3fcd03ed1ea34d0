import { anthropicHost, compatible } from "./compatible.ts";
import type { Provider, Route } from "./provider.ts";
import { PROVIDERS, providerNamed } from "./table.ts";

/** A call by its whole address: whose it is, and what it is. */
export interface ProviderRoute {
  readonly provider: Provider;
  readonly route: Route;
}

const KNOWN: readonly Provider[] = Object.values(PROVIDERS);

/**
 * The provider of an address by its name or its host, and the API by the end of its path. A host that is not known is taken for
 * one that is compatible with OpenAI, or with Anthropic where only that has the path.
 */
export function findProviderRoute(method: string, url: URL, name: string | undefined): ProviderRoute {
  const known = providerNamed(name ?? "") ?? providerAt(url);
  for (const provider of known === undefined ? [compatible, anthropicHost] : [known]) {
    const route = routeAt(provider, method, url.pathname);
    if (route.kind !== "unknown") return { provider, route };
  }
  return { provider: known ?? compatible, route: { kind: "unknown" } };
}

/** The provider of the table that an address belongs to. Undefined: it is nobody's that is known. */
export function providerAt(url: URL): Provider | undefined {
  return KNOWN.find((provider) => isHostOf(provider, url));
}

function isHostOf({ url, hosts }: Provider, { host, hostname }: URL): boolean {
  return hosts?.test(hostname) ?? (url !== null && new URL(url).host === host);
}

/** Azure names the model in the path. */
const DEPLOYMENT = /\/deployments\/([^/]+)\//;

/**
 * The longest end of the path that the provider serves, or never serves. The path before it belongs to the address of
 * the host.
 */
function routeAt(provider: Provider, method: string, pathname: string): Route {
  if (!isPlain(pathname)) return { kind: "unknown" };
  const ends = Array.from(pathname.matchAll(/\//g), ({ index }) => pathname.slice(index));
  for (const end of ends) {
    for (const path of [end, `/v1${end}`]) {
      const route = provider.route(method, path);
      if (route.kind === "unknown") continue;
      const [, deployment] = DEPLOYMENT.exec(pathname) ?? [];
      return route.kind === "metered" && deployment !== undefined
        ? { ...route, pathModel: deployment }
        : route;
    }
  }
  return { kind: "unknown" };
}

/** A spelling that a provider might read differently is not served. */
function isPlain(pathname: string): boolean {
  return !/\/\/|\/\.{1,2}(?:\/|$)|[\\;]|%(?:2f|5c|25|2e|00)/i.test(pathname);
}
