import { seenInput } from "../body/input-bound.ts";
import { refuseUnlisted } from "../body/strict-json.ts";
import { isJsonObject, type JsonObject, objectOf } from "../json.ts";
import type {
  AnswerFacts,
  EventFacts,
  MeteredRequest,
  ProviderApi,
  RequestContext,
} from "../provider-api.ts";
import { Unmetered } from "../unmetered.ts";
import { geminiUsage } from "../usage/gemini-usage.ts";
import { geminiError } from "../wire-refusal.ts";
import { answersIn, readHighestBound, modelIn, PLAIN, refuseHostedKinds } from "./request-members.ts";

/** A member that is not among them may change the price, as a service tier does, so it is refused. */
const MEMBERS: ReadonlySet<string> = new Set([
  "contents",
  "systemInstruction",
  "tools",
  "toolConfig",
  "safetySettings",
  "generationConfig",
  "cachedContent",
]);
/** Others may choose another model or another tier. */
const CONFIG_MEMBERS: ReadonlySet<string> = new Set([
  "audioTimestamp",
  "candidateCount",
  "enableEnhancedCivicAnswers",
  "frequencyPenalty",
  "imageConfig",
  "logprobs",
  "maxOutputTokens",
  "mediaResolution",
  "presencePenalty",
  "responseFormat",
  "responseJsonSchema",
  "responseLogprobs",
  "responseMimeType",
  "responseModalities",
  "responseSchema",
  "seed",
  "speechConfig",
  "stopSequences",
  "temperature",
  "thinkingConfig",
  "topK",
  "topP",
]);
/** Selectors of fields, and other encodings of an answer, would hide what is billed. */
export const GEMINI_QUERY: ReadonlySet<string> = new Set(["alt"]);
export const GEMINI_HEADERS: ReadonlySet<string> = new Set(["x-goog-api-client", "x-goog-request-params"]);

/** `POST /v1beta/models/{model}:generateContent`. */
export const geminiGenerate = generateApi({ isStream: false });

/** `POST /v1beta/models/{model}:streamGenerateContent?alt=sse`. */
export const geminiStream = generateApi({ isStream: true });

const CLIENT_TOOLS = new Set(["functionDeclarations"]);

function generateApi({ isStream }: { readonly isStream: boolean }): ProviderApi {
  return {
    name: "generate",
    body: "json",
    members: MEMBERS,
    queryNames: GEMINI_QUERY,
    ownHeaders: GEMINI_HEADERS,
    answerMembers: ["usageMetadata"],
    readRequest: (body, context) => readGenerate(body, context, isStream),
    withBounds(body, { maxOutputTokens }) {
      if (maxOutputTokens === null) return body;
      return { ...body, generationConfig: { ...objectOf(body["generationConfig"]), maxOutputTokens } };
    },
    readAnswer: ({ usage, usageMetadata = usage }): AnswerFacts => ({
      usage: geminiUsage(usageMetadata),
      hidesInputClasses: !Array.isArray(objectOf(usageMetadata)["promptTokensDetails"]),
      hidesOutputClasses: !Array.isArray(objectOf(usageMetadata)["candidatesTokensDetails"]),
      units: null,
      variant: null,
      costUsd: null,
    }),
    readEvent: isStream ? generateEvent : null,
    errorBody: geminiError,
  };
}

function readGenerate(
  body: JsonObject,
  { pathModel, facts, query }: RequestContext,
  isStream: boolean,
): MeteredRequest {
  refuseSnakeCase(body);
  if (isStream && query.get("alt") !== "sse")
    throw new Unmetered(400, "Streams are metered as events: add ?alt=sse to the address.");
  if (!isStream && (query.get("alt") ?? "json") !== "json")
    throw new Unmetered(400, "Only answers in JSON are metered: leave ?alt out of the address.");
  if (body["model"] !== undefined)
    throw new Unmetered(400, 'The path names the model. Leave "model" out of the body.');
  refuseHostedKinds(body["tools"], CLIENT_TOOLS, HOSTED_TOOLS);
  const config = objectOf(body["generationConfig"]);
  refuseSnakeCase(config);
  refuseUnlisted(config, CONFIG_MEMBERS);
  const model = modelIn(body, pathModel);
  const { reasons, pictureTokens } = facts(model);
  const { tokens, unseen, texts } = geminiInput(body, pictureTokens);
  return {
    ...PLAIN,
    model,
    isStream,
    inputTokens: tokens,
    unseenInput: typeof body["cachedContent"] === "string" ? "cachedContent" : unseen,
    // Sound and films, which the body does not show by their length, have rates of their own.
    hasCostlyInput: unseen !== null,
    hasCostlyOutput: writesMoreThanText(config, model),
    outputBound: {
      perAnswer: readHighestBound(config, ["maxOutputTokens"]),
      usualPerAnswer: null,
      answers: answersIn(config, ["candidateCount"]),
    },
    hidesOutput: reasons || isJsonObject(config["thinkingConfig"]),
    texts,
  };
}

function writesMoreThanText({ responseModalities: asked }: JsonObject, model: string): boolean {
  const modalities: unknown[] = Array.isArray(asked) ? asked : [asked ?? "TEXT"];
  return /-(?:image|tts|audio)/.test(model) || modalities.some((one) => one !== "TEXT");
}

/** The API reads both spellings of its members, and one of them is metered. */
function refuseSnakeCase(object: JsonObject): void {
  const name = Object.keys(object).find((each) => each.includes("_"));
  if (name !== undefined)
    throw new Unmetered(
      400,
      `The body has a member ${JSON.stringify(name.slice(0, 64))}. Write it in camelCase.`,
    );
}

const HOSTED_TOOLS =
  'Only "functionDeclarations" are metered by this proxy. Other tools bill what the call does not say.';

/** Returns what a body shows of its input, in the form in which other APIs have it. */
export function geminiInput(body: JsonObject, pictureTokens: number): ReturnType<typeof seenInput> {
  const { contents, content, requests, systemInstruction, tools, generationConfig, toolConfig } = body;
  const input = [contents, content, requests].filter((each) => each !== undefined).map(withParts);
  return seenInput(
    {
      input,
      system: withParts(systemInstruction ?? null),
      tools: tools ?? null,
      // The schema of an answer is input, too.
      config: JSON.stringify([generationConfig, toolConfig]),
    },
    pictureTokens,
  );
}

const INLINE = ["inlineData", "inline_data"];
const STORED = ["fileData", "file_data"];

/** Pictures and files as parts with a type, at any depth. The strict reading of a body bounds how deep it is. */
function withParts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withParts);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (STORED.includes(name)) return [name, { file_id: "stored", member }];
      return [name, INLINE.includes(name) ? inlinePart(objectOf(member)) : withParts(member)];
    }),
  );
}

/** Sound, films and documents have as many tokens as they are long, and their bytes do not bound that. */
function inlinePart(member: JsonObject): JsonObject {
  const media = member["mimeType"] ?? member["mime_type"];
  const isPicture = typeof media === "string" && /^image\//i.test(media);
  return {
    type: "image",
    media_type: isPicture ? media : "application/octet-stream",
    data: typeof member["data"] === "string" ? member["data"] : "",
  };
}

function generateEvent({ candidates, usageMetadata, error }: JsonObject): EventFacts {
  const list = (Array.isArray(candidates) ? candidates : []).map(objectOf);
  const parts = list.flatMap(({ content }) => {
    const { parts: own } = objectOf(content);
    return Array.isArray(own) ? (own as unknown[]) : [];
  });
  return {
    usage: usageMetadata,
    // Every event has the usage so far. Only that of the last is of the whole answer.
    isWholeUsage: list.some((candidate) => typeof candidate["finishReason"] === "string"),
    // The model wrote the names and numbers in the arguments of a call, too.
    text: parts.map((part) => ("functionCall" in objectOf(part) ? JSON.stringify(part) : part)),
    isUncounted: parts.some((part) => objectOf(part)["inlineData"] !== undefined),
    hasFailed: isJsonObject(error),
  };
}
