import { anthropicComplete } from "./apis/anthropic-complete.ts";
import { anthropicMessages } from "./apis/anthropic-messages.ts";
import { bedrockConverseStream } from "./apis/bedrock-converse.ts";
import { bedrockInvokeStream } from "./apis/bedrock-invoke.ts";
import { geminiStream } from "./apis/gemini-generate.ts";
import { openAiSpeech, openAiTranscriptions } from "./apis/openai-audio.ts";
import { openAiChat } from "./apis/openai-chat.ts";
import { openAiEmbeddings } from "./apis/openai-embeddings.ts";
import { openAiImages } from "./apis/openai-images.ts";
import { openAiResponses } from "./apis/openai-responses.ts";
import { cohereChat, cohereEmbed } from "./cohere.ts";
import { type JsonObject, objectOf } from "./json.ts";
import type { AnswerApi } from "./provider-api.ts";

/** Reads answers of which only the shape tells the API: what a handler passes on may come from any of them. */
export const anyAnswer: AnswerApi = {
  answerMembers: [
    ...new Set(
      [
        openAiChat,
        openAiResponses,
        anthropicMessages,
        geminiStream,
        bedrockConverseStream,
        bedrockInvokeStream,
        cohereChat,
        cohereEmbed,
      ].flatMap((api) => api.answerMembers),
    ),
  ],
  readAnswer: (answer) => apiOfAnswer(answer).readAnswer(answer),
  // An event of nobody's that is known may have output that nobody can count.
  readEvent: (event) => apiOfEvent(event)?.readEvent?.(event) ?? { isUncounted: true },
};

/** The members of an answer or of its usage that only one API has. */
const MARKS: readonly (readonly [readonly string[], AnswerApi])[] = [
  [["prompt_tokens"], openAiChat],
  [["cache_read_input_tokens", "cache_creation_input_tokens", "server_tool_use"], anthropicMessages],
  [["usageMetadata", "promptTokenCount"], geminiStream],
  [["inputTokens"], bedrockConverseStream],
  [["inputTextTokenCount"], bedrockInvokeStream],
  [["billed_units"], cohereChat],
  [["meta"], cohereEmbed],
];

function apiOfAnswer(answer: JsonObject): AnswerApi {
  const usage = objectOf(answer["usage"]);
  const isMarked = (name: string) => (usage[name] ?? answer[name] ?? null) !== null;
  const [, marked] = MARKS.find(([names]) => names.some(isMarked)) ?? [];
  const { prompt_tokens: prompt, total_tokens: total } = usage;
  if (marked === openAiChat && prompt === total) return openAiEmbeddings;
  // Only pictures tell how much of their input was text.
  const isPicture = "text_tokens" in objectOf(usage["input_tokens_details"]);
  return marked ?? (isPicture ? openAiImages : openAiResponses);
}

/** The beginnings of the types that name an event's API. */
const EVENT_TYPES: readonly (readonly [RegExp, AnswerApi])[] = [
  [/^response\./, openAiResponses],
  [/^(?:message_|content_block_|ping$|error$)/, anthropicMessages],
  [/^completion$/, anthropicComplete],
  [/^(?:image_generation|image_edit)\./, openAiImages],
  [/^speech\.audio\./, openAiSpeech],
  [/^transcript\.text\./, openAiTranscriptions],
  [/^(?:message|content|tool-plan|tool-call|citation)-(?:start|delta|end)$/, cohereChat],
];

/** The members that only the events of one API have, among those without a type. */
const EVENT_MEMBERS: readonly (readonly [readonly string[], AnswerApi])[] = [
  [["choices", "usage", "error"], openAiChat],
  [["candidates", "usageMetadata", "promptFeedback"], geminiStream],
  [["chunk"], bedrockInvokeStream],
  [
    [
      "messageStart",
      "contentBlockStart",
      "contentBlockDelta",
      "contentBlockStop",
      "messageStop",
      "metadata",
      "exception",
    ],
    bedrockConverseStream,
  ],
];

/** Undefined: nobody's that is known. */
function apiOfEvent(event: JsonObject): AnswerApi | undefined {
  const { type, choices } = event;
  const isTyped = typeof type === "string" && !Array.isArray(choices);
  if (isTyped) return EVENT_TYPES.find(([pattern]) => pattern.test(type))?.[1];
  return EVENT_MEMBERS.find(([names]) => names.some((name) => Object.hasOwn(event, name)))?.[1];
}
