import { isJsonObject, type JsonObject } from "../providers/json.ts";
import { readListedRequest } from "../providers/listed-request.ts";
import { meter, meteringFrom, type SomeMetering } from "../providers/metering.ts";
import type { MeteredRequest } from "../providers/provider-api.ts";
import { Unmetered } from "../providers/unmetered.ts";
import { answerReader } from "../providers/usage/reading.ts";
import { workersAi, workersAiFacts } from "../providers/workers-ai.ts";
import type { NextModel } from "./fallbacks.ts";
import { begin, type Call, type CallFields, type CallGate, type GovernedCall } from "./governed-call.ts";
import { settledBody, USUAL_LEAVE } from "./settled-body.ts";
import { makeCall, thrower, type Way } from "./tries.ts";

export { createGate, Refused, SluiceError, Unreachable } from "../client/gate/index.ts";

/** The provider's name in the price book. */
const PROVIDER = "cloudflare";

/** The binding, as far as it is governed. */
export interface AiBinding {
  // oxlint-disable-next-line typescript/no-explicit-any -- each model has inputs and an answer of its own
  run(model: any, inputs: any, options?: any): Promise<any>;
}

export interface GovernedAiOptions extends SomeMetering {
  readonly gate: CallGate;
  /** Whom and what calls are for, such as `customer_id`, `workflow_id` or `tags`; or a function that says it for each call. */
  readonly ask?: CallFields | ((model: string) => CallFields);
  /** The `traceparent` header of the request that calls are made for: runs and refusals are sent on as spans below that one. */
  readonly traceparent?: string | null | undefined;
  /** `(work) => ctx.waitUntil(work)`. */
  readonly waitUntil?: (work: Promise<unknown>) => void;
}

/**
 * The same binding, whose `run` asks before each call and settles it by its usage when its answer ends. A refusal is
 * thrown. Inputs without text to count, and calls whose answer comes later or elsewhere, are refused.
 */
export function governedAi<Ai extends AiBinding>(ai: Ai, options: GovernedAiOptions): Ai {
  const run = (model: string, inputs: unknown, given?: object) =>
    governedRun(ai, options, { model, inputs, given });
  return new Proxy(ai, {
    get(target, property) {
      if (property === "run") return run;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

interface Run {
  readonly model: string;
  readonly inputs: unknown;
  readonly given: object | undefined;
}

async function governedRun(ai: AiBinding, options: GovernedAiOptions, run: Run): Promise<unknown> {
  const own = wayOf(ai, options, run);
  return makeCall({
    gate: options.gate,
    ask: own.call.ask,
    own: own.way,
    wayTo: async ({ model, provider }: NextModel) =>
      provider === null || provider === PROVIDER ? wayOf(ai, options, { ...run, model }, model).way : null,
    isGone: () => false,
  });
}

function wayOf(
  ai: AiBinding,
  options: GovernedAiOptions,
  run: Run,
  /** The model that a fallback chose. */
  chosen?: string,
): { readonly call: Call; readonly way: Way<unknown> } {
  const { gate, ask, waitUntil, traceparent } = options;
  const { model, given } = run;
  const inputs = inputsOf(run);
  const metered = meter(readInputs(model, inputs, options), workersAiFacts(model), meteringFrom(options));
  const fields = typeof ask === "function" ? ask(model) : ask;
  const named = chosen === undefined ? {} : { model: chosen, provider: PROVIDER };
  const asked = { model, provider: PROVIDER, ...fields, ...named, estimate: metered.estimate };
  const call: Call = { gate, waitUntil, metered, ask: asked, traceparent };
  const way: Way<unknown> = {
    name: `${asked.provider} ${asked.model}`,
    decide: (next) => {
      const id = next?.requestId === undefined ? {} : { request_id: next.requestId };
      return begin({ ...call, ask: { ...asked, ...id }, insteadOf: next?.insteadOf });
    },
    async send(governed) {
      waitUntil?.(governed.ended);
      const { outputBound } = governed;
      const bounded = workersAi.withBounds(inputs, { maxOutputTokens: outputBound });
      try {
        const answer: unknown = await ai.run(model, bounded, given);
        const settledAnswer = settled(answer, governed);
        return { answer: () => settledAnswer, failure: null };
      } catch (error) {
        governed.fail();
        return { answer: thrower(error), failure: "unbilled" };
      }
    },
  };
  return { call, way };
}

/** With these the answer is not what `run` returns, or there are several. */
const NOT_GOVERNED = ["returnRawResponse", "websocket", "queueRequest"];

function inputsOf({ inputs, given = {} }: Run): JsonObject {
  const named = NOT_GOVERNED.find((name) => (given as JsonObject)[name] === true);
  if (named !== undefined)
    throw new Unmetered(403, `${named} is not governed: its answer says nothing of its cost.`);
  if (!isJsonObject(inputs) || "requests" in inputs)
    throw new Unmetered(
      403,
      "Only single calls with text are governed: batches and streams of bytes are not.",
    );
  return inputs;
}

function readInputs(model: string, inputs: JsonObject, options: GovernedAiOptions): MeteredRequest {
  const request = readListedRequest(workersAi, inputs, {
    pathModel: model,
    query: new URLSearchParams(),
    headers: new Headers(),
    facts: workersAiFacts,
  });
  const { outputBound } = request;
  if (options.defaultMaxOutputTokens === undefined || outputBound === null) return request;
  return { ...request, outputBound: { ...outputBound, usualPerAnswer: null } };
}

function settled(answer: unknown, call: GovernedCall): unknown {
  if (answer instanceof ReadableStream) {
    const reader = answerReader(workersAi, "text/event-stream");
    const body = answer as ReadableStream<Uint8Array>;
    return settledBody(body, { call, reader, leave: USUAL_LEAVE, stop: () => undefined }).readable;
  }
  const reader = answerReader(workersAi, "application/json");
  reader.push(new TextEncoder().encode(JSON.stringify(answer)));
  call.finish(reader.reading);
  return answer;
}
