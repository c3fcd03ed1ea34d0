import type { ProviderRoute } from "../providers/by-url.ts";
import type { DecisionsDecideBody } from "../client/generated/types.ts";
import { isProvidersFault, type NextModel } from "./fallbacks.ts";
import { type ReadRequest, requestFor } from "./fetch-fallbacks.ts";
import { begin } from "./governed-call.ts";
import { governedRequest, type RequestOptions } from "./governed-request.ts";
import { wasNotSent } from "./lost-call.ts";
import { sendGoverned } from "./sent-request.ts";
import { makeCall, thrower, type Way } from "./tries.ts";

/** A request, where it goes, and the options by which it is governed. */
export interface RequestAt {
  readonly request: ReadRequest;
  readonly at: ProviderRoute;
  readonly init: RequestInit | undefined;
  readonly options: RequestOptions;
}

/** Makes a request, or one for another model where a fallback says so. Rejects with what refuses it. */
export async function makeRequest(asked: RequestAt): Promise<Response> {
  const { ask, way } = await requestWay(asked);
  return makeCall({
    gate: asked.options.gate,
    ask,
    own: way,
    wayTo: (next) => wayTo(next, asked),
    isGone: () => asked.request.gone.aborted,
  });
}

/** A request as one way to make a call, and what is asked for it. Throws `Unmetered`. */
export interface RequestWay {
  readonly ask: DecisionsDecideBody;
  readonly way: Way<Response>;
}

export async function requestWay(
  { request, at, init, options }: RequestAt,
  /** The model that a fallback chose. */
  chosen?: string,
): Promise<RequestWay> {
  const governed = await governedRequest(request, at, options, chosen);
  const { ask } = governed.call;
  const way: Way<Response> = {
    name: `${ask.provider} ${ask.model}`,
    decide: (next) => {
      const id = next?.requestId === undefined ? {} : { request_id: next.requestId };
      return begin({ ...governed.call, ask: { ...ask, ...id }, insteadOf: next?.insteadOf });
    },
    async send(call) {
      options.waitUntil?.(call.ended);
      try {
        const answer = await sendGoverned(call, { governed, request, init, options });
        const isFault = !answer.ok && isProvidersFault(answer.status, false);
        const failure = answer.ok ? null : isFault ? "unbilled" : "final";
        return {
          answer: () => answer,
          failure,
          discard: () => void answer.body?.cancel().catch(() => undefined),
        };
      } catch (error) {
        return { answer: thrower(error), failure: wasNotSent(error) ? "unbilled" : "final" };
      }
    },
  };
  return { ask, way };
}

/** The way to make the call with another model. Null where it cannot be made with it. */
async function wayTo(next: NextModel, asked: RequestAt): Promise<Way<Response> | null> {
  const { at, request, options } = asked;
  const { fallbackKeys: keys, deployments } = options;
  const elsewhere = requestFor(next, request, { at, keys, deployments });
  if (elsewhere === null) return null;
  const isSame = elsewhere.at.provider === at.provider;
  const own = isSame ? options : { ...options, provider: elsewhere.at.provider.prices };
  try {
    return (await requestWay({ ...asked, ...elsewhere, options: own }, next.model)).way;
  } catch {
    return null;
  }
}
