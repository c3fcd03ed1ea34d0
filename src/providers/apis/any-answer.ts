import type { JsonObject } from "../json.ts";
import { objectOf } from "../json.ts";
import type { AnswerApi } from "../provider-api.ts";
import { anthropicMessages } from "./anthropic-messages.ts";
import { openAiChat } from "./openai-chat.ts";
import { openAiResponses } from "./openai-responses.ts";

/** Reads answers of which only the shape tells the API: what a handler passes on may come from any of them. */
export const anyAnswer: AnswerApi = {
  answerMembers: [
    ...new Set([openAiChat, openAiResponses, anthropicMessages].flatMap((api) => api.answerMembers)),
  ],
  readAnswer: (answer) => apiOfUsage(objectOf(answer["usage"])).readAnswer(answer),
  readEvent: (event) => apiOfEvent(event).readEvent?.(event) ?? {},
};

function apiOfUsage(usage: JsonObject): AnswerApi {
  if ("prompt_tokens" in usage) return openAiChat;
  const isAnthropic =
    "cache_read_input_tokens" in usage ||
    "cache_creation_input_tokens" in usage ||
    "server_tool_use" in usage;
  return isAnthropic ? anthropicMessages : openAiResponses;
}

function apiOfEvent({ type, choices }: JsonObject): AnswerApi {
  if (typeof type !== "string" || Array.isArray(choices)) return openAiChat;
  return type.startsWith("response.") ? openAiResponses : anthropicMessages;
}
