import { objectOf } from "../json.ts";
import { seenInput } from "../body/input-bound.ts";
import type { ProviderApi } from "../provider-api.ts";
import { openAiError } from "../wire-refusal.ts";
import { chatAnswer, chatEvent, OPENAI_HEADERS, withStreamUsage } from "./openai-chat.ts";
import { answersIn, readHighestBound, flagIn, modelIn, PLAIN } from "./request-members.ts";

/** Providers write this many tokens where a request sets no bound. */
const USUAL_OUTPUT_TOKENS = 16;

/** `POST /v1/completions`, and the older `POST /v1/engines/{model}/completions`. */
export const openAiCompletions: ProviderApi = {
  name: "completions",
  body: "json",
  members: new Set([
    "model",
    "prompt",
    "best_of",
    "echo",
    "frequency_penalty",
    "logit_bias",
    "logprobs",
    "max_tokens",
    "n",
    "presence_penalty",
    "seed",
    "stop",
    "stream",
    "stream_options",
    "suffix",
    "temperature",
    "top_p",
    "user",
  ]),
  ownHeaders: OPENAI_HEADERS,
  answerMembers: ["usage", "service_tier"],
  readRequest(body, { pathModel, facts }) {
    const model = modelIn(body, pathModel);
    const { reasons, pictureTokens } = facts(model);
    const { tokens, unseen, texts } = seenInput(body, pictureTokens);
    const { prompt } = body;
    return {
      ...PLAIN,
      model,
      isStream: flagIn(body, "stream"),
      inputTokens: tokens,
      unseenInput: unseen,
      outputBound: {
        perAnswer: readHighestBound(body, ["max_tokens"]),
        usualPerAnswer: USUAL_OUTPUT_TOKENS,
        answers: answersIn(body, ["n", "best_of"]) * promptsIn(prompt),
      },
      // An echo repeats the prompt in the answer.
      fixedOutputTokens: flagIn(body, "echo") ? tokens : 0,
      hidesOutput: reasons,
      showsUsageEvent: objectOf(body["stream_options"])["include_usage"] === true,
      texts,
    };
  },
  withBounds: (body, { maxOutputTokens }) =>
    withStreamUsage(maxOutputTokens === null ? body : { ...body, max_tokens: maxOutputTokens }),
  readAnswer: chatAnswer,
  readEvent: chatEvent,
  errorBody: openAiError,
};

/** A list of texts, or of lists of token ids, is as many prompts. A list of numbers is one. */
function promptsIn(prompt: unknown): number {
  if (!Array.isArray(prompt) || typeof prompt[0] === "number") return 1;
  return Math.max(1, prompt.length);
}
