import { Unmetered } from "../unmetered.ts";
import { isJsonObject, type JsonObject, objectOf } from "../json.ts";
import { seenInput } from "../body/input-bound.ts";
import { openAiUsage } from "../usage/openai-usage.ts";
import type {
  AnswerFacts,
  EventFacts,
  MeteredRequest,
  ProviderApi,
  RequestContext,
} from "../provider-api.ts";
import { openAiError } from "../wire-refusal.ts";
import {
  answersIn,
  boundIn,
  flagIn,
  memberIn,
  modelIn,
  PLAIN,
  refuseMembers,
  tierIn,
  tierOf,
} from "./request-members.ts";

const BOUNDS = ["max_tokens", "max_completion_tokens"] as const;
/** With these, a host would choose other models, or add work of its own that is billed. */
const NOT_METERED = ["models", "plugins", "route"] as const;
const CLIENT_TOOLS = new Set<unknown>(["function", "custom"]);

/** `POST /v1/chat/completions`. */
export const openAiChat = chatApi("max_completion_tokens");

/** The same at hosts that are compatible with it, most of which know the older name of the bound only. */
export const compatibleChat = chatApi("max_tokens");

function chatApi(boundName: (typeof BOUNDS)[number]): ProviderApi {
  return {
    name: "chat",
    body: "json",
    members: new Set([
      "model",
      "messages",
      "stream",
      "stream_options",
      "n",
      "tools",
      "web_search_options",
      "service_tier",
      "prediction",
      "reasoning_effort",
      ...BOUNDS,
      ...NOT_METERED,
    ]),
    answerMembers: ["usage", "service_tier"],
    readRequest: readChat,
    withBounds(body, { maxOutputTokens }) {
      const name = memberIn(body, BOUNDS) ?? boundName;
      return withStreamUsage(maxOutputTokens === null ? body : { ...body, [name]: maxOutputTokens });
    },
    readAnswer: chatAnswer,
    readEvent: chatEvent,
    errorBody: openAiError,
  };
}

function readChat(body: JsonObject, { pathModel, facts }: RequestContext): MeteredRequest {
  refuseMembers(body, NOT_METERED);
  refuseHostedTools(body["tools"]);
  const model = modelIn(body, pathModel);
  const { reasons, pictureTokens } = facts(model);
  const { tokens, unseen, texts } = seenInput(body, pictureTokens);
  const answers = answersIn(body, ["n"]);
  const { prediction } = body;
  const searches = isJsonObject(body["web_search_options"]) || /search/i.test(model);
  return {
    ...PLAIN,
    model,
    isStream: flagIn(body, "stream"),
    inputTokens: tokens,
    // The model also reads what a search found.
    unseenInput: unseen ?? (searches ? "web_search_options" : null),
    outputBound: { perAnswer: boundIn(body, BOUNDS), usualPerAnswer: null, answers },
    // Predicted text that the model did not write is billed as output.
    fixedOutputTokens: isJsonObject(prediction) ? seenInput(prediction, 0).tokens : 0,
    hidesOutput: reasons || memberIn(body, ["reasoning_effort", "reasoning"]) !== undefined,
    units: searches ? { web_search: answers } : {},
    variant: tierIn(body["service_tier"]),
    showsUsageEvent: objectOf(body["stream_options"])["include_usage"] === true,
    texts,
  };
}

function refuseHostedTools(tools: unknown): void {
  if (!Array.isArray(tools) || tools.every((tool) => CLIENT_TOOLS.has(objectOf(tool)["type"]))) return;
  throw new Unmetered(403, 'Only tools of the types "function" and "custom" are metered by this proxy.');
}

/** Asks for the usage at the end of a stream, which is the only place where it is told. */
export function withStreamUsage(body: JsonObject): JsonObject {
  if (body["stream"] !== true) return body;
  return { ...body, stream_options: { ...objectOf(body["stream_options"]), include_usage: true } };
}

/** Also of completions and embeddings. */
export function chatAnswer({ usage, service_tier: tier }: JsonObject): AnswerFacts {
  return { usage: openAiUsage(usage), units: null, variant: tierOf(tier), costUsd: costIn(usage) };
}

/** OpenRouter tells what it bills. Rounded up to nano-dollars, so that nothing is lost. */
function costIn(usage: unknown): string | null {
  const { cost } = objectOf(usage);
  if (typeof cost !== "number" || !Number.isFinite(cost) || cost < 0 || cost > 1e6) return null;
  return (Math.ceil(cost * 1e9) / 1e9).toFixed(9);
}

/** Also of completions. */
export function chatEvent({ choices, usage, error, service_tier }: JsonObject): EventFacts {
  const list = Array.isArray(choices) ? choices : [];
  const hasUsage = isJsonObject(usage);
  return {
    usage,
    isWholeUsage: hasUsage,
    text: list.map((choice) => objectOf(choice)["delta"] ?? objectOf(choice)["text"]),
    hasFailed: isJsonObject(error),
    isUsageEvent: hasUsage && list.length === 0,
    answer: typeof service_tier === "string" ? { service_tier } : undefined,
  };
}
