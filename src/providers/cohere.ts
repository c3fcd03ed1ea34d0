import { seenInput } from "./body/input-bound.ts";
import { isJsonObject, type JsonObject, objectOf } from "./json.ts";
import type { EventFacts, ProviderApi, Usage } from "./provider-api.ts";
import { readHighestBound, flagIn, modelIn, PLAIN, toolsIn } from "./apis/request-members.ts";
import { bearer, provider } from "./provider.ts";
import { Unmetered } from "./unmetered.ts";
import { totalsOf } from "./usage/counts.ts";
import type { WireRefusal } from "./wire-refusal.ts";

/** `POST /v2/chat`. */
export const cohereChat: ProviderApi = {
  name: "cohere-chat",
  body: "json",
  members: new Set([
    "model",
    "messages",
    "documents",
    "stream",
    "max_tokens",
    "tools",
    "tool_choice",
    "strict_tools",
    "thinking",
    "citation_options",
    "response_format",
    "safety_mode",
    "stop_sequences",
    "temperature",
    "seed",
    "frequency_penalty",
    "presence_penalty",
    "priority",
    "k",
    "p",
    "logprobs",
  ]),
  answerMembers: ["usage"],
  readRequest(body, { pathModel, facts }) {
    if (!toolsIn(body, new Set(["type"])).every((tool) => objectOf(tool)["type"] === "function"))
      throw new Unmetered(403, 'Only tools of the type "function" are metered by this proxy.');
    const model = modelIn(body, pathModel);
    const { reasons, pictureTokens } = facts(model);
    const { tokens, unseen, texts } = seenInput(withDocumentsApart(body), pictureTokens);
    return {
      ...PLAIN,
      model,
      isStream: flagIn(body, "stream"),
      inputTokens: tokens,
      unseenInput: unseen,
      outputBound: { perAnswer: readHighestBound(body, ["max_tokens"]), usualPerAnswer: null, answers: 1 },
      hidesOutput: reasons || isJsonObject(body["thinking"]),
      texts,
    };
  },
  withBounds: (body, { maxOutputTokens }) =>
    maxOutputTokens === null ? body : { ...body, max_tokens: maxOutputTokens },
  readAnswer: ({ usage }) => ({ usage: cohereUsage(usage), units: null, variant: null, costUsd: null }),
  readEvent: chatEvent,
  errorBody: cohereError,
};

/** `POST /v2/embed`. Pictures have a rate of their own, which the price book does not have. */
export const cohereEmbed: ProviderApi = {
  name: "cohere-embed",
  body: "json",
  members: new Set([
    "model",
    "texts",
    "inputs",
    "input_type",
    "embedding_types",
    "max_tokens",
    "output_dimension",
    "priority",
    "truncate",
  ]),
  answerMembers: ["meta"],
  readRequest(body, { pathModel }) {
    const model = modelIn(body, pathModel);
    const { tokens, texts } = seenInput({ input: [body["texts"] ?? null, textsIn(body)] }, 0);
    return { ...PLAIN, model, inputTokens: tokens, texts };
  },
  withBounds: (body) => body,
  readAnswer: ({ meta }) => ({
    usage: cohereUsage(meta, { writesTokens: false }),
    units: null,
    variant: null,
    costUsd: null,
  }),
  readEvent: null,
  errorBody: cohereError,
};

/** Models of Cohere, by the second version of its API. */
export const cohere = provider("cohere", {
  prices: "cohere",
  url: "https://api.cohere.com",
  auth: bearer,
  serves: { "/v2/chat": cohereChat, "/v2/embed": cohereEmbed },
  free: ["GET /v1/models", "GET /v1/models/{model}", "POST /v1/tokenize", "POST /v1/detokenize"],
  models: [
    { models: /^embed-/, contextTokens: 2_097_152, outputTokens: 0, reasons: false },
    { models: /^command-a-(?!reasoning)/, contextTokens: 262_144, outputTokens: 8192, reasons: false },
    { models: /^(?:command-r|c4ai-aya)/, contextTokens: 131_072, outputTokens: 4096, reasons: false },
  ],
  errorBody: cohereError,
});

/** Documents in the results of tools are text, whatever their members look like, as those beside the messages are. */
function withDocumentsApart(body: JsonObject): JsonObject {
  const apart: unknown[] = [];
  const stays = (part: unknown) => {
    const isDocument = objectOf(part)["type"] === "document";
    if (isDocument) apart.push(part);
    return !isDocument;
  };
  const messages = listIn(body["messages"]).map((message) => {
    if (!isJsonObject(message) || !Array.isArray(message["content"])) return message;
    return { ...message, content: message["content"].filter(stays) };
  });
  return { ...body, messages, documents: [...listIn(body["documents"]), ...apart] };
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value ?? null];
}

/** The texts of `inputs`. A part that is or may be a picture is refused. */
function textsIn({ inputs }: JsonObject): readonly string[] {
  if (inputs === undefined || inputs === null) return [];
  return listIn(inputs).flatMap((input) => listIn(objectOf(input)["content"]).map(textOf));
}

function textOf(part: unknown): string {
  const { type, text, ...others } = objectOf(part);
  if (type === "text" && typeof text === "string" && Object.keys(others).length === 0) return text;
  throw new Unmetered(403, 'Only parts of the type "text" are metered in "inputs" by this proxy.');
}

/**
 * The usage of an answer, of its end, or of what an embedding says about itself. The billed tokens are fewer than all
 * that were read.
 */
function cohereUsage(value: unknown, { writesTokens = true } = {}): Usage | null {
  const { billed_units: billed, tokens } = objectOf(value);
  const { input_tokens: _, output_tokens: __, ...others } = objectOf(billed);
  // Searches, pictures and pages have prices of their own, so such an answer is charged at what was reserved.
  if (Object.values(others).some((count) => count !== 0 && count !== null)) return null;
  return countsIn(billed, writesTokens) ?? countsIn(tokens, writesTokens);
}

function countsIn(value: unknown, writesTokens: boolean): Usage | null {
  const { input_tokens: input, output_tokens: output = writesTokens ? null : 0 } = objectOf(value);
  return totalsOf(input, output);
}

/** Reasons for which an answer ends that is no answer. */
const FAILURES = new Set<unknown>(["ERROR", "TIMEOUT"]);

/** Its pieces stand in `delta`. Citations repeat what was written. */
function chatEvent({ type, delta }: JsonObject): EventFacts {
  const { message, usage, error, finish_reason: reason } = objectOf(delta);
  const isEnd = type === "message-end";
  const isCitation = typeof type === "string" && type.startsWith("citation-");
  return {
    ...(isEnd ? { usage } : {}),
    isWholeUsage: isEnd && isJsonObject(usage),
    text: isCitation ? [] : [message],
    isLast: isEnd,
    hasFailed: isEnd && (typeof error === "string" || FAILURES.has(reason)),
  };
}

function cohereError({ code, message, details }: WireRefusal): object {
  return { message, error: { code, message, details } };
}
