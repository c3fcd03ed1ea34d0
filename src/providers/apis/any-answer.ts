import { isJsonObject, type JsonObject, objectOf } from "../json.ts";
import type { AnswerApi, EventFacts } from "../provider-api.ts";
import { anthropicComplete } from "./anthropic-complete.ts";
import { anthropicMessages } from "./anthropic-messages.ts";
import { openAiSpeech, openAiTranscriptions } from "./openai-audio.ts";
import { openAiChat } from "./openai-chat.ts";
import { openAiEmbeddings } from "./openai-embeddings.ts";
import { openAiImages } from "./openai-images.ts";
import { openAiResponses } from "./openai-responses.ts";

/** Reads answers of which only the shape tells the API: what a handler passes on may come from any of them. */
export const anyAnswer: AnswerApi = {
  answerMembers: [
    ...new Set([openAiChat, openAiResponses, anthropicMessages].flatMap((api) => api.answerMembers)),
  ],
  readAnswer: (answer) => apiOfUsage(objectOf(answer["usage"])).readAnswer(answer),
  readEvent: (event) => readerOf(event)(event),
};

function apiOfUsage(usage: JsonObject): AnswerApi {
  if ("prompt_tokens" in usage)
    return usage["total_tokens"] === usage["prompt_tokens"] ? openAiEmbeddings : openAiChat;
  const isAnthropic =
    "cache_read_input_tokens" in usage ||
    "cache_creation_input_tokens" in usage ||
    "server_tool_use" in usage;
  if (isAnthropic) return anthropicMessages;
  // Only pictures tell how much of their input was text.
  return "text_tokens" in objectOf(usage["input_tokens_details"]) ? openAiImages : openAiResponses;
}

/** The beginnings of the types that name an event's API. */
const EVENT_TYPES: readonly (readonly [RegExp, AnswerApi])[] = [
  [/^response\./, openAiResponses],
  [/^(?:message_|content_block_|ping$|error$)/, anthropicMessages],
  [/^completion$/, anthropicComplete],
  [/^(?:image_generation|image_edit)\./, openAiImages],
  [/^speech\.audio\./, openAiSpeech],
  [/^transcript\.text\./, openAiTranscriptions],
];

function readerOf({ type, choices }: JsonObject): (event: JsonObject) => EventFacts {
  const isChat = typeof type !== "string" || Array.isArray(choices);
  const api = isChat ? openAiChat : EVENT_TYPES.find(([pattern]) => pattern.test(type))?.[1];
  return api?.readEvent ?? otherEvent;
}

/** Nobody knows which of its members are output, so every text in it counts. */
function otherEvent(event: JsonObject): EventFacts {
  return { text: [event], hasFailed: isJsonObject(event["error"]) };
}
