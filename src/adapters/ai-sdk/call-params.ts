import { seenInput } from "../../providers/body/input-bound.ts";
import { PLAIN, tierIn } from "../../providers/apis/request-members.ts";
import { isJsonObject, type JsonObject, objectOf } from "../../providers/json.ts";
import type { FactsOfModel } from "../../providers/model-facts.ts";
import type { MeteredRequest } from "../../providers/provider-api.ts";
import { Unmetered } from "../../providers/unmetered.ts";
import { hostedIn } from "./hosted-tools.ts";

/** The fields that are read of a call of a language model, in every version of the SDK. */
export interface CallParams {
  readonly prompt?: unknown;
  readonly maxOutputTokens?: number | undefined;
  readonly tools?: unknown;
  readonly providerOptions?: unknown;
  readonly abortSignal?: AbortSignal | undefined;
}

/** The bounds of the cost of a call. Throws `Unmetered`. */
export function meteredParams(
  model: string,
  params: CallParams,
  facts: FactsOfModel,
  isStream: boolean,
): MeteredRequest {
  const { prompt, tools, maxOutputTokens } = params;
  if (maxOutputTokens !== undefined && (!Number.isSafeInteger(maxOutputTokens) || maxOutputTokens <= 0))
    throw new Unmetered(400, "maxOutputTokens must be a positive whole number.");
  const options = optionsIn(params);
  const { previousResponseId, conversation, serviceTier, reasoningEffort, thinking } = options;
  const { tokens, unseen, isCostly, texts } = seenInput(
    { messages: plainPrompt(prompt), tools },
    facts.pictureTokens,
  );
  const hosted = hostedIn(tools, options);
  const elsewhere = [previousResponseId, conversation].some((value) => typeof value === "string");
  return {
    ...PLAIN,
    model,
    isStream,
    inputTokens: tokens,
    unseenInput: unseen ?? (elsewhere ? "previousResponseId" : (hosted.names[0] ?? null)),
    hasCostlyInput: isCostly,
    outputBound: { perAnswer: maxOutputTokens ?? null, usualPerAnswer: null, answers: 1 },
    hidesOutput: facts.reasons || reasoningEffort !== undefined || isJsonObject(thinking),
    units: hosted.units,
    startedUnits: hosted.startedUnits,
    variant: tierIn(serviceTier),
    texts,
  };
}

/** Those of all providers, because each reads its own. */
export function optionsIn({ providerOptions }: CallParams): JsonObject {
  return Object.assign({}, ...Object.values(objectOf(providerOptions))) as JsonObject;
}

/** The prompt with what stands for its files: a picture, a recording of a size, or something that is not in the prompt. */
function plainPrompt(prompt: unknown): unknown {
  if (!Array.isArray(prompt)) return prompt;
  return prompt.map((message: unknown) => {
    const { content } = objectOf(message);
    return Array.isArray(content) ? { ...objectOf(message), content: content.map(plainPart) } : message;
  });
}

function plainPart(part: unknown): unknown {
  const { mediaType, data } = objectOf(part);
  if (typeof mediaType !== "string") return part;
  const inline = contentOf(data);
  if (inline === null) return { file_id: "elsewhere" };
  return { type: "file", file: { data: inline, media_type: mediaType } };
}

/** Null: the content is elsewhere. Bytes count as what they are in base64. */
function contentOf(data: unknown): string | null {
  if (typeof data === "string") return /^[a-z][\w+.-]*:\/\//i.test(data) ? null : data;
  if (data instanceof Uint8Array) return "A".repeat(Math.ceil((data.byteLength * 4) / 3));
  const { type, data: inner, text } = objectOf(data);
  if (type === "text" && typeof text === "string") return text;
  return type === "data" ? contentOf(inner) : null;
}
