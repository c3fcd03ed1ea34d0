import { createOpenAI } from "@ai-sdk/openai";
import { generateText, streamText, wrapLanguageModel } from "ai";
import { sluiceMiddleware } from "../../../src/adapters/ai-sdk.ts";
import type { Shape } from "../billing-provider/shape.ts";
import { PROVIDER_KEY } from "../governed.ts";
import {
  Background,
  GRACE_MS,
  isLeftAlone,
  pricedAs,
  promptOf,
  type Road,
  type Surroundings,
} from "./road.ts";

const CHAT = "/v1/chat/completions";
const RESPONSES = "/v1/responses";
/** What the SDK writes by itself, or has an option for that is used here. */
const MEMBERS = new Set([
  "model",
  "messages",
  "input",
  "stream",
  "stream_options",
  "max_output_tokens",
  "service_tier",
]);
/** Parts of a stream that are read before its caller leaves. */
const READ_BEFORE_LEAVING = 4;

/** The AI SDK with the middleware, before OpenAI's two APIs. */
export function sdkRoad({ gate, provider }: Surroundings): Road {
  const openai = createOpenAI({ apiKey: PROVIDER_KEY, baseURL: `${provider}/v1` });
  const background = new Background();
  const modelFor = (shape: Shape, name: string) => {
    const { model } = pricedAs(shape);
    const middleware = sluiceMiddleware({
      gate,
      ask: { workflow_id: name },
      leaveGraceMs: GRACE_MS,
      onLeave: isLeftAlone(shape) ? "finish" : "stop",
      waitUntil: background.waitUntil,
    });
    return wrapLanguageModel({
      model: shape.path === CHAT ? openai.chat(model) : openai.responses(model),
      middleware,
    });
  };
  return {
    name: "AI SDK 7",
    settled: background.settled,
    takes: ({ host, path, body }) =>
      host === "openai" &&
      (path === CHAT || path === RESPONSES) &&
      Object.keys(body).every((member) => MEMBERS.has(member)),
    async call(shape, name) {
      const { service_tier: serviceTier } = shape.body;
      const leaving = new AbortController();
      const given = {
        model: modelFor(shape, name),
        prompt: promptOf(shape, name),
        maxRetries: 0,
        headers: { ...shape.headers },
        abortSignal: leaving.signal,
        ...(typeof serviceTier === "string" ? { providerOptions: { openai: { serviceTier } } } : {}),
      };
      if (shape.isStream !== true) {
        await generateText(given);
        return;
      }
      let parts = 0;
      const { fullStream } = streamText({ ...given, onError: () => undefined });
      for await (const _ of fullStream) {
        parts += 1;
        if (parts === READ_BEFORE_LEAVING && (shape.ends === "left" || isLeftAlone(shape))) leaving.abort();
      }
    },
  };
}
