import { type JsonObject, objectOf } from "../json.ts";
import { seenInput } from "../body/input-bound.ts";
import { openAiUsage } from "../usage/openai-usage.ts";
import type {
  AnswerFacts,
  EventFacts,
  MeteredRequest,
  ProviderApi,
  RequestContext,
  Usage,
} from "../provider-api.ts";
import { openAiError } from "../wire-refusal.ts";
import { OPENAI_HEADERS } from "./openai-chat.ts";
import { answersIn, flagIn, modelIn, PLAIN } from "./request-members.ts";

/** The first models have 6,240 tokens at most, at 1,536 by 1,024 in the best quality, and a hundred for each preview. */
const FIRST_MODELS = /^gpt-image-1(?:[.-]|$)/;
const FIRST_PICTURE_TOKENS = 8192;
/** Later ones paint 3,840 by 2,160, which has some 13,500. */
const PICTURE_TOKENS = 32_768;

/** The most tokens of a picture, whether it is painted, edited or followed. */
export function pictureTokensOf(model: string): number {
  return FIRST_MODELS.test(model) ? FIRST_PICTURE_TOKENS : PICTURE_TOKENS;
}

/** Left out: members that ask for more pictures than `n`, such as the frames of a film. */
const MEMBERS = [
  "model",
  "prompt",
  "n",
  "stream",
  "partial_images",
  "size",
  "quality",
  "background",
  "moderation",
  "output_compression",
  "output_format",
  "safety_identifier",
  "user",
] as const;

/** `POST /v1/images/generations`. */
export const openAiImages: ProviderApi = {
  name: "images",
  body: "json",
  members: new Set([...MEMBERS, "response_format", "style"]),
  ownHeaders: OPENAI_HEADERS,
  answerMembers: ["usage"],
  readRequest: readImages,
  withBounds: (body) => body,
  readAnswer: imagesAnswer,
  readEvent: imagesEvent,
  errorBody: openAiError,
};

/** `POST /v1/images/edits`. Pictures come with the request, as files of a form. */
export const openAiImageEdits: ProviderApi = {
  ...openAiImages,
  name: "image edits",
  body: "form",
  members: new Set([...MEMBERS, "response_format", "image", "image[]", "mask", "input_fidelity"]),
};

function readImages(body: JsonObject, { pathModel }: RequestContext): MeteredRequest {
  const model = modelIn(body, pathModel);
  const pictures = answersIn(body, ["n"]);
  const isByPicture = model.startsWith("dall-e");
  const files = Object.values(body)
    .flat()
    .filter((value) => value instanceof Uint8Array).length;
  const pictureTokens = pictureTokensOf(model);
  const { tokens, unseen, texts } = seenInput(body, pictureTokens);
  return {
    ...PLAIN,
    model,
    isStream: flagIn(body, "stream"),
    inputTokens: isByPicture ? 0 : tokens + files * pictureTokens,
    unseenInput: isByPicture ? null : unseen,
    fixedOutputTokens: isByPicture ? 0 : pictures * pictureTokens,
    hidesOutput: true,
    // Older models are billed by the picture.
    units: isByPicture ? { image_generation: pictures } : {},
    texts,
  };
}

/** All that comes out is a picture, unless the usage says otherwise. */
function pictureUsage(value: unknown): Usage | null {
  const usage = openAiUsage(value);
  if (usage === null || objectOf(value)["output_tokens_details"] !== undefined) return usage;
  return usage.output_tokens === 0 ? usage : { ...usage, image_output_tokens: usage.output_tokens };
}

function imagesAnswer({ usage }: JsonObject): AnswerFacts {
  return { usage: pictureUsage(usage), units: null, variant: null, costUsd: null };
}

function imagesEvent({ type, usage, error }: JsonObject): EventFacts {
  const isLast = type === "image_generation.completed" || type === "image_edit.completed";
  const hasFailed = typeof error === "object" && error !== null;
  return { usage, isWholeUsage: isLast, isUncounted: true, isLast, hasFailed };
}
