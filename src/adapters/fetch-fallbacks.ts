import { type ProviderRoute, findProviderRoute } from "../providers/by-url.ts";
import type { Provider } from "../providers/provider.ts";
import { providerNamed } from "../providers/table.ts";
import type { NextModel } from "./fallbacks.ts";

/** A request whose body was read. */
export interface ReadRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Fires when whoever called wants no answer any more. */
  readonly gone: AbortSignal;
}

interface From {
  readonly at: ProviderRoute;
  readonly keys: Readonly<Record<string, string>> | undefined;
  readonly deployments: Readonly<Record<string, string>> | undefined;
}

/** A request to another address, and what is there. */
interface Elsewhere {
  readonly at: ProviderRoute;
  readonly request: ReadRequest;
}

/** Where SDKs put their keys. */
const KEY_HEADERS = ["authorization", "x-api-key", "api-key", "x-goog-api-key"];
/** Names that stand in a path as they are. */
const IN_PATH = /^[\w@:-][\w.@:-]*$/;

/** The request for another model. Null: it is not served by the same API, or there is no key for it. */
export function requestFor(next: NextModel, request: ReadRequest, from: From): Elsewhere | null {
  const { provider: own } = from.at;
  const isSame = next.provider === null || next.provider === own.name || next.provider === own.prices;
  return isSame ? atSame(next.model, request, from) : atOther(next, request, from);
}

function atSame(model: string, request: ReadRequest, { at, deployments = {} }: From): Elsewhere | null {
  const { route } = at;
  if (route.kind !== "metered") return null;
  if (route.pathModel === null) return { at, request };
  const [name = model] = Object.entries(deployments).find(([, named]) => named === model) ?? [];
  const [own, other] = [encodeURIComponent(route.pathModel), encodeURIComponent(name)];
  const pathname = request.url.pathname.replace(`/${own}`, `/${other}`);
  if (!IN_PATH.test(name) || pathname === request.url.pathname) return null;
  const url = new URL(request.url);
  url.pathname = pathname;
  return { at: { ...at, route: { ...route, pathModel: name } }, request: { ...request, url } };
}

function atOther(
  { model, provider: name }: NextModel,
  request: ReadRequest,
  { at, keys = {} }: From,
): Elsewhere | null {
  const key = name !== null && Object.hasOwn(keys, name) ? keys[name] : undefined;
  const provider: Provider | undefined = providerNamed(name ?? "");
  if (key === undefined || provider === undefined || provider.url === null || at.route.kind !== "metered")
    return null;
  const path = provider.pathLike(at.route.api, request.url.pathname, model);
  if (path === null) return null;
  const url = new URL(provider.url.replace(/\/+$/, "") + path);
  const headers = new Headers(request.headers);
  for (const header of KEY_HEADERS) headers.delete(header);
  headers.set(...provider.auth(key));
  return {
    at: findProviderRoute(request.method, url, name ?? undefined),
    request: { ...request, url, headers },
  };
}
