import type { ProviderApi } from "../provider-api.ts";
import { geminiError } from "../wire-refusal.ts";
import { GEMINI_HEADERS, GEMINI_QUERY, geminiInput } from "./gemini-generate.ts";
import { PLAIN } from "./request-members.ts";
import { Unmetered } from "../unmetered.ts";

/** `POST /v1beta/models/{model}:embedContent` and `:batchEmbedContents`. The answer does not say what it read. */
export const geminiEmbed: ProviderApi = {
  name: "embed",
  body: "json",
  members: new Set(["content", "requests", "model", "taskType", "title", "outputDimensionality"]),
  queryNames: GEMINI_QUERY,
  ownHeaders: GEMINI_HEADERS,
  answerMembers: [],
  readRequest(body, { pathModel, facts }) {
    if (pathModel === null) throw new Unmetered(400, "Name the model in the path.");
    const { tokens, unseen, texts } = geminiInput(body, facts(pathModel).pictureTokens);
    return { ...PLAIN, model: pathModel, inputTokens: tokens, unseenInput: unseen, texts };
  },
  withBounds: (body) => body,
  readAnswer: () => ({ usage: null, units: null, variant: null, costUsd: null }),
  readEvent: null,
  errorBody: geminiError,
};
