import { type JsonObject, objectOf } from "../json.ts";
import { seenInput } from "../body/input-bound.ts";
import { openAiUsageFacts } from "../usage/openai-usage.ts";
import type {
  AnswerFacts,
  Bounds,
  EventFacts,
  MeteredRequest,
  ProviderApi,
  RequestContext,
} from "../provider-api.ts";
import { openAiError } from "../wire-refusal.ts";
import { OPENAI_HEADERS } from "./openai-chat.ts";
import {
  hasStoredPrompt,
  hostedIn,
  PREVIEW_SEARCH,
  searchTokensOf,
  sessionsIn,
  unitsOf,
  unitsOfStored,
} from "./openai-tools.ts";
import { unitsUsed } from "./openai-tools-used.ts";
import {
  readHighestBound,
  flagIn,
  memberIn,
  modelIn,
  PLAIN,
  refuseLongCache,
  tierIn,
  tierOf,
  usualToolCalls,
  wholeNumberIn,
} from "./request-members.ts";

const MOST_TOOL_CALLS = 1000;

/** `POST /v1/responses`. */
export const openAiResponses: ProviderApi = {
  name: "responses",
  body: "json",
  members: new Set([
    "model",
    "input",
    "instructions",
    "background",
    "client_metadata",
    "conversation",
    "include",
    "max_output_tokens",
    "max_tool_calls",
    "metadata",
    "parallel_tool_calls",
    "previous_response_id",
    "prompt",
    "prompt_cache_key",
    "prompt_cache_options",
    "prompt_cache_retention",
    "reasoning",
    "safety_identifier",
    "service_tier",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "text",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "truncation",
    "user",
    "verbosity",
  ]),
  ownHeaders: OPENAI_HEADERS,
  answerMembers: ["usage", "service_tier", "output", "tools", "tool_usage"],
  readRequest: readResponses,
  withBounds(body, bounds) {
    const { maxOutputTokens } = bounds;
    const bound = maxOutputTokens === null ? {} : { max_output_tokens: maxOutputTokens };
    const tools = hostedIn(body).length === 0 ? {} : { max_tool_calls: toolCallsIn(body, bounds) };
    return { ...body, ...bound, ...tools };
  },
  readAnswer: responsesAnswer,
  readEvent: responsesEvent,
  errorBody: openAiError,
};

/** `POST /v1/responses/compact`: the model writes a summary of the input, and nothing sets a bound on it. */
export const openAiCompaction: ProviderApi = {
  ...openAiResponses,
  name: "compaction",
  readRequest(body, context) {
    const request = readResponses(body, context);
    const { outputTokens } = context.facts(request.model);
    return {
      ...request,
      isStream: false,
      outputBound: null,
      fixedOutputTokens: outputTokens,
      hidesOutput: true,
    };
  },
  withBounds: (body) => body,
};

function readResponses(body: JsonObject, context: RequestContext): MeteredRequest {
  const { pathModel, facts } = context;
  const model = modelIn(body, pathModel);
  const { reasons, pictureTokens } = facts(model);
  const { tokens, unseen, isCostly, hasLongCache, texts } = seenInput(body, pictureTokens);
  refuseLongCache(hasLongCache);
  const hosted = hostedIn(body);
  const isStored = hasStoredPrompt(body);
  const startedUnits = sessionsIn(body);
  const toolCalls = hosted.length === 0 ? 0 : toolCallsIn(body, context);
  const units = isStored ? unitsOfStored(toolCalls) : unitsOf(hosted, toolCalls);
  return {
    ...PLAIN,
    model,
    isStream: flagIn(body, "stream"),
    inputTokens: tokens,
    // The model also reads what hosted tools found.
    unseenInput: unseen ?? hosted[0] ?? null,
    passes: toolCalls + 1,
    hasCostlyInput: isCostly,
    outputBound: {
      perAnswer: readHighestBound(body, ["max_output_tokens"]),
      usualPerAnswer: null,
      answers: 1,
    },
    hidesOutput: reasons || memberIn(body, ["reasoning"]) !== undefined,
    units: { ...units, ...startedUnits },
    startedUnits,
    inputPerSearch: searchTokensOf(model),
    billedAs: !isStored && PREVIEW_SEARCH in units ? { web_search: PREVIEW_SEARCH } : {},
    variant: tierIn(body["service_tier"]),
    isBackground: flagIn(body, "background"),
    texts,
  };
}

function toolCallsIn(body: JsonObject, given: Pick<Bounds, "hostedToolPasses">): number {
  return wholeNumberIn(body, "max_tool_calls", MOST_TOOL_CALLS) ?? usualToolCalls(given);
}

function responsesAnswer(answer: JsonObject): AnswerFacts {
  const { usage, service_tier: tier } = answer;
  return { ...openAiUsageFacts(usage), units: unitsUsed(answer), variant: tierOf(tier), costUsd: null };
}

const LAST_EVENTS = new Set<unknown>(["response.completed", "response.incomplete", "response.failed"]);

function responsesEvent({ type, delta, item, response, error }: JsonObject): EventFacts {
  const isLast = LAST_EVENTS.has(type);
  const { usage, service_tier, output, tools, tool_usage } = objectOf(response);
  return {
    usage,
    isWholeUsage: isLast,
    // An item begins with the name of the function that it calls.
    text: [delta, type === "response.output_item.added" ? item : undefined],
    isLast,
    hasFailed:
      type === "response.failed" || type === "error" || (typeof error === "object" && error !== null),
    answer: isLast ? { service_tier, output, tools, tool_usage } : undefined,
  };
}
