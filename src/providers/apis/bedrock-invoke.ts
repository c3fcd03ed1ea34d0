import { seenInput } from "../body/input-bound.ts";
import { type JsonObject, objectOf } from "../json.ts";
import type {
  AnswerFacts,
  EventFacts,
  MeteredRequest,
  ProviderApi,
  RequestContext,
} from "../provider-api.ts";
import { Unmetered } from "../unmetered.ts";
import { countOf } from "../usage/counts.ts";
import { eventIn } from "../usage/reading.ts";
import { bedrockError } from "../wire-refusal.ts";
import { anthropicMessages } from "./anthropic-messages.ts";
import { BEDROCK_HEADERS, calledModel } from "./bedrock-call.ts";
import { PLAIN, refuseLongCache, refuseMembers } from "./request-members.ts";

/** Models whose own requests and answers are known here. Those of any other are called by `converse`. */
const CLAUDE = /^(?:[a-z-]+\.)?anthropic\.claude-/;
const TEXT_EMBEDDING = /^amazon\.titan-embed-text-/;
/** Betas that change what an answer is made of, and not its price. A longer context has a price of its own. */
const BETA =
  /^(?:claude-code|interleaved-thinking|fine-grained-tool-streaming|token-efficient-tools|computer-use|output-128k|tool-examples|tool-search-tool)-[\d-]+$/;
const EMBEDDING_MEMBERS: ReadonlySet<string> = new Set([
  "inputText",
  "dimensions",
  "normalize",
  "embeddingTypes",
]);

/** `POST /model/{model}/invoke`. The body is the model's own, and so is the answer. */
export const bedrockInvoke = invokeApi({ isStream: false });

/** `POST /model/{model}/invoke-with-response-stream`. */
export const bedrockInvokeStream = invokeApi({ isStream: true });

function invokeApi({ isStream }: { readonly isStream: boolean }): ProviderApi {
  return {
    name: "invoke",
    body: "json",
    members: new Set([
      ...anthropicMessages.members,
      "anthropic_beta",
      "anthropic_version",
      ...EMBEDDING_MEMBERS,
    ]),
    ownHeaders: BEDROCK_HEADERS,
    answerMembers: [...anthropicMessages.answerMembers, "inputTextTokenCount"],
    readRequest(body, context) {
      const pathModel = calledModel(context);
      if (CLAUDE.test(pathModel)) return readClaude(body, { ...context, pathModel }, isStream);
      if (TEXT_EMBEDDING.test(pathModel) && !isStream) return readEmbedding(body, pathModel);
      throw new Unmetered(403, `The requests of ${pathModel} are not metered here. Call it by converse.`);
    },
    withBounds: (body, bounds) => ("inputText" in body ? body : anthropicMessages.withBounds(body, bounds)),
    readAnswer: invokeAnswer,
    readEvent: isStream ? invokeEvent : null,
    errorBody: bedrockError,
  };
}

function readClaude(body: JsonObject, context: RequestContext, isStream: boolean): MeteredRequest {
  const { anthropic_beta: betas } = body;
  const list: unknown[] = Array.isArray(betas) ? betas : [betas ?? []].flat();
  if (!list.every((beta) => typeof beta === "string" && BETA.test(beta)))
    throw new Unmetered(403, '"anthropic_beta" has a beta that is not metered by this proxy.');
  if (body["stream"] !== undefined)
    throw new Unmetered(400, 'The path says whether the answer is a stream. Leave "stream" out of the body.');
  refuseMembers(body, [...EMBEDDING_MEMBERS]);
  refuseLongCache(seenInput(body, 0).hasLongCache);
  return { ...anthropicMessages.readRequest(body, context), isStream };
}

function readEmbedding(body: JsonObject, model: string): MeteredRequest {
  refuseMembers(
    body,
    Object.keys(body).filter((name) => !EMBEDDING_MEMBERS.has(name)),
  );
  const { tokens, texts } = seenInput({ input: body["inputText"] ?? null }, 0);
  return { ...PLAIN, model, inputTokens: tokens, texts };
}

function invokeAnswer(answer: JsonObject): AnswerFacts {
  const input_tokens = countOf(answer["inputTextTokenCount"]);
  const read = anthropicMessages.readAnswer(answer);
  if (read.usage !== null || input_tokens === null) return read;
  return { ...read, usage: { input_tokens, output_tokens: 0 } };
}

/** The events are those of the model, in the bytes of chunks. */
function invokeEvent({ chunk, exception }: JsonObject): EventFacts {
  if (exception !== undefined) return { hasFailed: true };
  const { bytes } = objectOf(chunk);
  const event = typeof bytes === "string" ? eventIn(textIn(bytes)) : null;
  return event === null ? { isUncounted: true } : (anthropicMessages.readEvent?.(event) ?? {});
}

/** Empty if there is no base64. */
function textIn(base64: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
  } catch {
    return "";
  }
}
