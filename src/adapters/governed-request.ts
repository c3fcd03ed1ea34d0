import { readBody } from "../providers/body/request-body.ts";
import { providerAt, type ProviderRoute } from "../providers/by-url.ts";
import { reservedVariant } from "../providers/charge.ts";
import { readListedRequest } from "../providers/listed-request.ts";
import { type MeteredCall, type MeteringOptions, meter, meteringFrom } from "../providers/metering.ts";
import type { FactsOfModel } from "../providers/model-facts.ts";
import type { Bounds, MeteredRequest, ProviderApi } from "../providers/provider-api.ts";
import { Unmetered } from "../providers/unmetered.ts";
import type { ReadRequest } from "./fetch-fallbacks.ts";
import type { GovernedFetchOptions } from "./fetch-options.ts";
import type { Call } from "./governed-call.ts";
import { otherPrice, pathRefusal } from "./other-paths.ts";

export async function readRequest(
  input: string | URL | Request,
  init: RequestInit | undefined,
): Promise<ReadRequest> {
  const request = new Request(input, init);
  const bytes = new Uint8Array(await request.arrayBuffer());
  const gone = init?.signal ?? request.signal;
  return {
    url: new URL(request.url),
    method: request.method,
    headers: new Headers(request.headers),
    bytes,
    gone,
  };
}

export interface RequestOptions extends GovernedFetchOptions {
  /** True if the caller set no bound: one in the body is a default of the SDK. */
  readonly isUnbounded?: boolean;
}

/** A call, and its body as it goes on. */
export interface GovernedRequest {
  readonly call: Call;
  readonly api: ProviderApi | null;
  readonly metered: MeteredCall | null;
  readonly write: (bounds: Bounds) => BodyInit | null;
  /** Undefined: as it came. */
  readonly contentType?: string | null;
}

/** Reads what a request may cost. Throws `Unmetered`. */
export async function governedRequest(
  request: ReadRequest,
  { provider, route }: ProviderRoute,
  options: RequestOptions,
  /** The model to call in place of the one that the body or the path names. */
  chosen?: string,
): Promise<GovernedRequest> {
  const { gate, waitUntil, trustsCost, deployments = {} } = options;
  const fields = typeof options.ask === "function" ? options.ask(request) : options.ask;
  const name = options.provider ?? provider.prices;
  if (route.kind !== "metered") {
    const cost_usd = route.kind === "free" ? "0" : otherCost(request, route.kind, options);
    const call = {
      gate,
      waitUntil,
      metered: null,
      ask: { provider: name, ...fields, estimate: { cost_usd } },
    };
    return {
      call,
      api: null,
      metered: null,
      write: () => (request.bytes.byteLength === 0 ? null : request.bytes),
    };
  }
  if (request.headers.has("content-encoding"))
    throw new Unmetered(400, "Send the body without content-encoding.");
  const { api } = route;
  const { headers } = request;
  const query = new URLSearchParams(request.url.searchParams);
  query.delete(provider.keyParameter ?? "");
  const pathModel = route.pathModel === null ? null : (deployments[route.pathModel] ?? route.pathModel);
  const sent = await readBody(api, request.bytes, request.headers.get("content-type"));
  const isNamed = pathModel === null || "model" in sent.members;
  const body = chosen === undefined || !isNamed ? sent : sent.withModel(pathModel ?? chosen);
  const metering = meteringFrom(options);
  const { hostedToolPasses } = metering;
  const read = readListedRequest(api, body.members, {
    hostedToolPasses,
    pathModel,
    query,
    headers,
    facts: (model) => provider.facts(model),
  });
  const metered = meteredRequest(read, provider.facts(read.model), {
    ...metering,
    isUnbounded: options.isUnbounded === true,
  });
  const variant = { variant: reservedVariant(read) ?? undefined };
  const own = chosen === undefined ? {} : { model: read.model, provider: name };
  const ask = {
    model: read.model,
    provider: name,
    ...variant,
    ...fields,
    ...own,
    estimate: metered.estimate,
  };
  return {
    call: {
      gate,
      waitUntil,
      trustsCost,
      isOtherHost: providerAt(request.url) === undefined,
      metered,
      ask,
      traceparent: headers.get("traceparent"),
    },
    api,
    metered,
    write: (bounds) => body.write(api.withBounds(body.members, { ...bounds, hostedToolPasses })),
    contentType: body.contentType,
  };
}

/** The default of an SDK is as much as the model can write. Thoughts have a budget below it, so theirs stays. */
function meteredRequest(
  read: MeteredRequest,
  facts: FactsOfModel,
  { isUnbounded, ...metering }: MeteringOptions & { readonly isUnbounded: boolean },
): MeteredCall {
  const { outputBound, hidesOutput } = read;
  if (!isUnbounded || hidesOutput || outputBound === null || outputBound.perAnswer === null)
    return meter(read, facts, metering);
  const defaultMaxOutputTokens = Math.min(metering.defaultMaxOutputTokens, outputBound.perAnswer);
  const request = { ...read, outputBound: { ...outputBound, perAnswer: null } };
  return meter(request, facts, { ...metering, defaultMaxOutputTokens });
}

function otherCost(
  request: ReadRequest,
  kind: "never" | "unknown",
  { otherPaths }: GovernedFetchOptions,
): string {
  const price = kind === "never" ? undefined : otherPrice(otherPaths, request.method, request.url.pathname);
  if (price !== undefined) return price;
  throw new Unmetered(403, pathRefusal(kind, "the option `otherPaths` of governedFetch").message);
}
