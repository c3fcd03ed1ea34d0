import { seenInput } from "../../providers/body/input-bound.ts";
import { PLAIN, tierIn } from "../../providers/apis/request-members.ts";
import { isJsonObject, type JsonObject, objectOf } from "../../providers/json.ts";
import type { FactsOfModel } from "../../providers/model-facts.ts";
import type { MeteredRequest, Units } from "../../providers/provider-api.ts";
import { Unmetered } from "../../providers/unmetered.ts";

/** What is read of a call of a language model, in every version of the SDK. */
export interface CallParams {
  readonly prompt?: unknown;
  readonly maxOutputTokens?: number | undefined;
  readonly tools?: unknown;
  readonly providerOptions?: unknown;
  readonly abortSignal?: AbortSignal | undefined;
}

/** Tools that the provider runs, by the end of their id, and the unit in which it bills their calls. */
const HOSTED_TOOLS: readonly (readonly [RegExp, string | null])[] = [
  [/\.web_search(?:_preview)?(?:_\d+)?$/, "web_search"],
  [/\.file_search$/, "file_search"],
  [/\.code_interpreter$/, "code_interpreter_session"],
  [/\.(?:web_fetch(?:_\d+)?|mcp)$/, null],
];
const CLIENT_TOOL = /\.(?:computer|bash|text_editor|memory|local_shell|apply_patch|custom)\w*$/;
/** How often a hosted tool may be called in one answer: the SDK sets no bound on it. */
const TOOL_CALLS = 16;

/** What a call may cost. Throws `Unmetered`. */
export function meteredParams(
  model: string,
  params: CallParams,
  facts: FactsOfModel,
  isStream: boolean,
): MeteredRequest {
  const { prompt, tools, maxOutputTokens } = params;
  if (maxOutputTokens !== undefined && (!Number.isSafeInteger(maxOutputTokens) || maxOutputTokens <= 0))
    throw new Unmetered(400, "maxOutputTokens must be a positive whole number.");
  const options = Object.assign({}, ...Object.values(objectOf(params.providerOptions))) as JsonObject;
  const { previousResponseId, conversation, serviceTier, reasoningEffort, thinking } = options;
  const { tokens, unseen, texts } = seenInput({ messages: plainPrompt(prompt), tools }, facts.pictureTokens);
  const hosted = hostedIn(tools);
  const elsewhere = [previousResponseId, conversation].some((value) => typeof value === "string");
  return {
    ...PLAIN,
    model,
    isStream,
    inputTokens: tokens,
    unseenInput: unseen ?? (elsewhere ? "previousResponseId" : (hosted.names[0] ?? null)),
    outputBound: { perAnswer: maxOutputTokens ?? null, usualPerAnswer: null, answers: 1 },
    hidesOutput: facts.reasons || reasoningEffort !== undefined || isJsonObject(thinking),
    units: hosted.units,
    variant: tierIn(serviceTier),
    texts,
  };
}

function hostedIn(tools: unknown): { names: string[]; units: Units } {
  const names: string[] = [];
  const units: Record<string, number> = {};
  for (const tool of Array.isArray(tools) ? tools : []) {
    const { type, id } = objectOf(tool);
    if (type === "function" || (typeof id === "string" && CLIENT_TOOL.test(id))) continue;
    const known = HOSTED_TOOLS.find(([pattern]) => pattern.test(String(id)));
    if (known === undefined) throw new Unmetered(403, `The tool ${String(id)} is not metered.`);
    names.push(String(id));
    if (known[1] !== null) units[known[1]] = TOOL_CALLS;
  }
  return { names, units };
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
