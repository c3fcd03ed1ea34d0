import type { Call, CallFields } from "../adapters/governed-call.ts";
import { otherPrice, pathRefusal } from "../adapters/other-paths.ts";
import type { DecisionsDecideBody } from "../client/generated/types.ts";
import { readBody } from "../providers/body/request-body.ts";
import { reservedVariant } from "../providers/charge.ts";
import { readListedRequest } from "../providers/listed-request.ts";
import { type MeteredCall, meter, meteringFrom } from "../providers/metering.ts";
import type { Route } from "../providers/provider.ts";
import type { Bounds, ProviderApi } from "../providers/provider-api.ts";
import { Unmetered } from "../providers/unmetered.ts";
import type { WireRefusal } from "../providers/wire-refusal.ts";
import type { ProxyOptions } from "./options.ts";
import type { Target } from "./target.ts";

/** How a call is served: by an API that meters it, or at a price of its own. */
export type Service =
  | {
      readonly api: ProviderApi;
      readonly pathModel: string | null;
      readonly pathFor: (model: string) => string;
    }
  | { readonly api: null; readonly costUsd: string; readonly asksForModels: boolean };

/** Returns the API that serves a path, or why there is none. */
export function serviceOf(
  method: string,
  target: Target,
  { otherPaths }: ProxyOptions,
): Service | WireRefusal {
  const route: Route = target.provider.route(method, target.path);
  if (route.kind === "metered") return route;
  if (route.kind === "free") return { api: null, costUsd: "0", asksForModels: route.asksForModels };
  const costUsd = route.kind === "never" ? undefined : otherPrice(otherPaths, method, target.path);
  return costUsd === undefined
    ? pathRefusal(route.kind, "PROXY_OTHER_PATHS")
    : { api: null, costUsd, asksForModels: false };
}

/** A call as it is asked for, and as it goes on. */
export interface ServedCall extends Pick<Call, "ask" | "metered"> {
  readonly api: ProviderApi | null;
  /** The body that goes on, once it is known how much output was reserved. */
  readonly write: (bounds: Bounds) => BodyInit | null;
  /** Null: the runtime sets it. Undefined: as the caller sent it. */
  readonly contentType: string | null | undefined;
}

export interface ReceivedCall {
  readonly target: Target;
  readonly service: Service;
  readonly headers: Headers;
  readonly query: URLSearchParams;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly fields: CallFields;
  readonly estimateUsd: string | null;
  /** The model to call in place of the one that the body or the path names. Undefined: that one. */
  readonly model?: string | undefined;
}

/** Reads a request, once. Throws `Unmetered` for one that cannot be metered. */
export async function readServedCall(given: ReceivedCall, options: ProxyOptions): Promise<ServedCall> {
  const { service, target, headers, bytes, fields } = given;
  if (service.api === null) {
    const { prices: provider } = target.provider;
    const ask = { provider, ...fields, estimate: { cost_usd: service.costUsd } };
    const write = () => (bytes.byteLength === 0 ? null : bytes);
    return { api: null, ask, metered: null, write, contentType: undefined };
  }
  if (headers.has("content-encoding")) throw new Unmetered(400, "Send the body without content-encoding.");
  const { api, pathModel } = service;
  const sent = await readBody(api, bytes, headers.get("content-type"));
  // Where the path names the model, the body may, and need not.
  const isNamed = pathModel === null || "model" in sent.members;
  const body = given.model === undefined || !isNamed ? sent : sent.withModel(given.model);
  const facts = (model: string) => target.provider.facts(modelAt(target, model));
  const { query } = given;
  const metering = meteringFrom(options);
  const { hostedToolPasses } = metering;
  const context = { pathModel, facts, headers, query, hostedToolPasses };
  const request = readListedRequest(api, body.members, context);
  const metered = meter(request, facts(request.model), metering);
  return {
    api,
    ask: askOf(metered, given),
    metered,
    write: (bounds) => body.write(api.withBounds(body.members, { ...bounds, hostedToolPasses })),
    contentType: body.contentType,
  };
}

/** The model that a name stands for at this provider. */
function modelAt({ access: { models = {} } }: Target, name: string): string {
  return Object.hasOwn(models, name) ? (models[name] ?? name) : name;
}

function askOf(
  { request, estimate }: MeteredCall,
  { target, fields, estimateUsd }: ReceivedCall,
): DecisionsDecideBody {
  return {
    model: modelAt(target, request.model),
    provider: target.provider.prices,
    variant: reservedVariant(request) ?? undefined,
    ...fields,
    estimate: estimateUsd === null ? estimate : { ...withoutLeast(estimate), cost_usd: estimateUsd },
  };
}

/** An amount that the caller sets is reserved as it is. */
function withoutLeast(estimate: MeteredCall["estimate"]): MeteredCall["estimate"] {
  const { min_output_tokens: _, ...rest } = estimate;
  return rest;
}
