import { chatAnswer, chatEvent } from "./apis/openai-chat.ts";
import { answersIn, flagIn, PLAIN, readHighestBound } from "./apis/request-members.ts";
import { seenInput } from "./body/input-bound.ts";
import type { JsonObject } from "./json.ts";
import { factsOf, type FactsOfModel, type ModelFacts } from "./model-facts.ts";
import type { MeteredRequest, ProviderApi, RequestContext } from "./provider-api.ts";
import { Unmetered } from "./unmetered.ts";
import { openAiError } from "./wire-refusal.ts";

/** Models know one of them and ignore the other, so both are written. */
const BOUNDS = ["max_tokens", "max_completion_tokens"] as const;
/** The bound that Workers AI takes for models that do not reason, where a call has none. */
const USUAL_TOKENS = 256;

/** `env.AI.run(model, inputs)`: texts to write on, chats and embeddings. The inputs of a chat may be OpenAI's. */
export const workersAi: ProviderApi = {
  name: "workers-ai",
  body: "json",
  members: new Set([
    ...BOUNDS,
    "chat_template_kwargs",
    "frequency_penalty",
    "functions",
    "guided_json",
    "logit_bias",
    "logprobs",
    "lora",
    "messages",
    "metadata",
    "n",
    "parallel_tool_calls",
    "pooling",
    "presence_penalty",
    "prompt",
    "raw",
    "reasoning_effort",
    "repetition_penalty",
    "response_format",
    "seed",
    "stop",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "text",
    "tool_choice",
    "tools",
    "top_k",
    "top_logprobs",
    "top_p",
    "truncate_inputs",
    "user",
  ]),
  answerMembers: ["usage"],
  readRequest: readInputs,
  withBounds(inputs, { maxOutputTokens }) {
    const most = maxOutputTokens ?? readHighestBound(inputs, BOUNDS);
    return most === null ? inputs : { ...inputs, max_tokens: most, max_completion_tokens: most };
  },
  readAnswer: chatAnswer,
  /** Models answer in a form of their own, `{response, usage}`, or in that of OpenAI. */
  readEvent: (event) => {
    const { isLast: _, isUsageEvent: __, ...chat } = chatEvent(event);
    // Some models tell the usage so far with every event, so only the end of the stream is its end.
    return { ...chat, text: [...(chat.text ?? []), event["response"]] };
  },
  errorBody: openAiError,
};

/** Families that write nothing that they do not show. A model of any other is taken for one that may. */
const FAMILIES =
  /^@(?:cf|hf)\/[\w.-]+\/(?:(?:meta-)?llama-(?:[23][.-]|4-scout)|mistral-(?:7b|small-3)|gemma-(?:2b|7b|3)-|qwen(?:1\.5|2\.5)-|phi-2|hermes-2|openhermes-|deepseek-(?:coder|math)-|openchat-|starling-|neural-chat-|zephyr-|falcon-|tinyllama-|sqlcoder-|discolm-|una-cybertron-)/;
const MODELS: readonly ModelFacts[] = [
  { models: FAMILIES, contextTokens: 131_072, outputTokens: 131_072, reasons: false },
];

export function workersAiFacts(model: string): FactsOfModel {
  return factsOf(MODELS, model);
}

function readInputs(inputs: JsonObject, { pathModel, facts }: RequestContext): MeteredRequest {
  const { messages, prompt, text } = inputs;
  const writes = messages !== undefined || prompt !== undefined;
  if (!writes && text === undefined)
    throw new Unmetered(403, "Only calls with messages, a prompt or a text are governed.");
  const model = pathModel ?? "";
  const { reasons, pictureTokens } = facts(model);
  const { tokens, unseen, isCostly, texts } = seenInput(inputs, pictureTokens);
  const usualPerAnswer = reasons ? null : USUAL_TOKENS;
  const perAnswer = readHighestBound(inputs, BOUNDS);
  return {
    ...PLAIN,
    model,
    isStream: flagIn(inputs, "stream"),
    inputTokens: tokens,
    unseenInput: unseen,
    hasCostlyInput: isCostly,
    outputBound: writes ? { perAnswer, usualPerAnswer, answers: answersIn(inputs, ["n"]) } : null,
    hidesOutput: reasons || inputs["reasoning_effort"] !== undefined,
    texts,
  };
}
