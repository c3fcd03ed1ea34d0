import { seenInput } from "../body/input-bound.ts";
import type { ProviderApi } from "../provider-api.ts";
import { openAiError } from "../wire-refusal.ts";
import { openAiUsageFacts } from "../usage/openai-usage.ts";
import { costIn, OPENAI_HEADERS } from "./openai-chat.ts";
import { modelIn, PLAIN } from "./request-members.ts";

/** `POST /v1/embeddings`. Only what is read costs. */
export const openAiEmbeddings: ProviderApi = {
  name: "embeddings",
  body: "json",
  members: new Set(["model", "input", "dimensions", "encoding_format", "user"]),
  ownHeaders: OPENAI_HEADERS,
  answerMembers: ["usage"],
  readRequest(body, { pathModel, facts }) {
    const model = modelIn(body, pathModel);
    const { tokens, unseen, texts } = seenInput(body, facts(model).pictureTokens);
    return { ...PLAIN, model, inputTokens: tokens, unseenInput: unseen, texts };
  },
  withBounds: (body) => body,
  readAnswer: ({ usage }) => ({
    ...openAiUsageFacts(usage, { writesTokens: false }),
    units: null,
    variant: null,
    costUsd: costIn(usage),
  }),
  readEvent: null,
  errorBody: openAiError,
};
