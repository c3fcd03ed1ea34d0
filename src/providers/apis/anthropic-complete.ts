import { seenInput } from "../body/input-bound.ts";
import type { ProviderApi } from "../provider-api.ts";
import { anthropicError } from "../wire-refusal.ts";
import { readHighestBound, flagIn, modelIn, PLAIN } from "./request-members.ts";

/** `POST /v1/complete`, before messages. Its answers have no usage, so they are charged by what was reserved or counted. */
export const anthropicComplete: ProviderApi = {
  name: "complete",
  body: "json",
  members: new Set([
    "model",
    "prompt",
    "stream",
    "max_tokens_to_sample",
    "metadata",
    "stop_sequences",
    "temperature",
    "top_k",
    "top_p",
  ]),
  ownHeaders: new Set(["anthropic-version", "anthropic-beta", "anthropic-dangerous-direct-browser-access"]),
  answerMembers: [],
  readRequest(body, { pathModel, facts }) {
    const model = modelIn(body, pathModel);
    const { reasons, pictureTokens } = facts(model);
    const { tokens, unseen, texts } = seenInput(body, pictureTokens);
    return {
      ...PLAIN,
      model,
      isStream: flagIn(body, "stream"),
      inputTokens: tokens,
      unseenInput: unseen,
      outputBound: {
        perAnswer: readHighestBound(body, ["max_tokens_to_sample"]),
        usualPerAnswer: null,
        answers: 1,
      },
      hidesOutput: reasons,
      texts,
    };
  },
  withBounds: (body, { maxOutputTokens }) =>
    maxOutputTokens === null ? body : { ...body, max_tokens_to_sample: maxOutputTokens },
  readAnswer: () => ({ usage: null, units: null, variant: null, costUsd: null }),
  readEvent: ({ completion, stop_reason: reason, type }) => ({
    text: [completion],
    isLast: typeof reason === "string",
    hasFailed: type === "error",
  }),
  errorBody: anthropicError,
};
