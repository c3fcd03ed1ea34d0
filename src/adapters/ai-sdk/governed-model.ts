import { findProviderRoute, providerAt } from "../../providers/by-url.ts";
import { objectOf } from "../../providers/json.ts";
import { providerPricedAs } from "../../providers/table.ts";
import type { Fetch, GovernedFetchOptions } from "../fetch-options.ts";
import type { CallFields } from "../governed-call.ts";
import { readRequest, type RequestOptions } from "../governed-request.ts";
import { makeRequest, type RequestAt, requestWay, type RequestWay } from "../request-way.ts";
import { makeCall, thrower, type Way } from "../tries.ts";
import { type CalledModel, fetchOf, type MethodCall, type PausedCall, pausedCall } from "./paused-call.ts";

export interface SluiceModelOptions<Params> extends Omit<
  GovernedFetchOptions,
  "ask" | "fetch" | "fallbackKeys" | "otherPaths"
> {
  /** Whom and what calls are for, such as `customer_id`, `workflow_id` or `tags`; or a function that says it for each call. */
  readonly ask?: CallFields | ((params: Params) => CallFields);
  /** The model's name in the price book. Default: the model's own id. */
  readonly model?: string;
}

export type FallbackModel = (next: {
  readonly model: string;
  /** Null: the provider of the call. */
  readonly provider: string | null;
}) => CalledModel | undefined;

interface CallToGovern<Params> extends MethodCall {
  readonly params: Params;
  readonly fallbackModel?: FallbackModel | undefined;
}

/**
 * Calls a model, or another where a fallback says so, and resolves with what its method returns. Rejects with what refuses the
 * call.
 */
export async function callGoverned<Params>(
  model: CalledModel,
  { fallbackModel, ...call }: CallToGovern<Params>,
  { ask, model: name, ...options }: SluiceModelOptions<Params>,
): Promise<unknown> {
  const fields: CallFields = (typeof ask === "function" ? ask(call.params) : ask) ?? {};
  const named = name === undefined ? fields : { model: name, ...fields };
  const isUnbounded = objectOf(call.params)["maxOutputTokens"] === undefined;
  const own = await modelWay(model, call, { ...options, isUnbounded, ask: named });
  return makeCall({
    gate: options.gate,
    ask: own.ask,
    own: own.way,
    wayTo: async ({ model: next, provider }) => {
      const other = fallbackModel?.({ model: next, provider });
      if (other === undefined) return null;
      // Names for the first model say nothing about this one.
      const { model: _, provider: __, ...whom } = fields;
      const { provider: ___, ...rest } = options;
      try {
        return (await modelWay(other, call, { ...rest, isUnbounded, ask: whom })).way;
      } catch {
        return null;
      }
    },
    isGone: own.isGone,
  });
}

interface ModelWay extends Pick<RequestWay, "ask"> {
  readonly way: Way<unknown>;
  readonly isGone: () => boolean;
}

/** A model as one way to make a call: its request is decided, and its answer read, as the provider's own. */
async function modelWay(model: CalledModel, call: MethodCall, options: RequestOptions): Promise<ModelWay> {
  const own = { ...options, fetch: fetchOf(model) };
  const laterFetch: Fetch = async (input, init) => {
    const request = await readRequest(input, init);
    return makeRequest({ ...placeOf(request, model, own), request, init });
  };
  const paused = await pausedCall(model, call, laterFetch);
  const { request, init } = paused;
  const { ask, way } = await requestWay({ ...placeOf(request, model, own), request, init });
  return { ask, way: resumedWay(way, paused), isGone: () => request.gone.aborted };
}

/** The way of a request, whose answer goes to the model that waits for it. */
function resumedWay(way: Way<Response>, paused: PausedCall): Way<unknown> {
  return {
    name: way.name,
    decide: (next) => way.decide(next),
    async send(call) {
      const { answer, failure } = await way.send(call);
      try {
        const result = await paused.resume((async () => answer())());
        return { answer: () => result, failure };
      } catch (error) {
        return { answer: thrower(error), failure: failure ?? "final" };
      }
    },
  };
}

/** The provider by the address. Where that is not known, it is the one that the SDK names, as `openai.responses` does. */
function placeOf(
  { method, url }: RequestAt["request"],
  { provider: sdkName }: CalledModel,
  options: RequestOptions,
): Pick<RequestAt, "at" | "options"> {
  const [named = ""] = sdkName.split(".");
  const hosted = providerAt(url);
  const known = options.provider ?? (hosted ?? providerPricedAs(named))?.name;
  const provider = options.provider ?? hosted?.prices ?? named;
  return { at: findProviderRoute(method, url, known), options: { ...options, provider } };
}
