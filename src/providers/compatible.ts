import { HOST_EMBEDDING_MEMBERS, HOST_MEMBERS } from "./apis/chat-members.ts";
import { chatApi, withMembers, withoutModels } from "./apis/openai-chat.ts";
import { openAiCompletions } from "./apis/openai-completions.ts";
import { openAiEmbeddings } from "./apis/openai-embeddings.ts";
import { openAiCompaction, openAiResponses } from "./apis/openai-responses.ts";
import { anthropic } from "./anthropic.ts";
import { anthropicMessages } from "./apis/anthropic-messages.ts";
import { openai } from "./openai.ts";
import { bearer, type Provider, provider, type ProviderTerms } from "./provider.ts";
import type { ProviderApi } from "./provider-api.ts";
import { openAiError } from "./wire-refusal.ts";

/** A host that is compatible with OpenAI, of which nothing else is known. Its models are taken for the largest. */
export const compatible = provider("openai", {
  ...openai,
  serves: {
    ...openai.serves,
    "/v1/chat/completions": chatApi(),
    "/v1/responses": openAiResponses,
    "/v1/responses/compact": openAiCompaction,
    "/v1/completions": withMembers(openAiCompletions, HOST_MEMBERS),
    "/v1/embeddings": withMembers(openAiEmbeddings, HOST_EMBEDDING_MEMBERS),
  },
});

/** A host that is compatible with Anthropic. It may not know the tiers of Anthropic. */
export const anthropicHost = provider("anthropic", {
  ...anthropic,
  serves: { ...anthropic.serves, "/v1/messages": anthropicMessages },
});

/** The differences of a compatible host from the others. */
type HostTerms = Pick<ProviderTerms, "url"> &
  Partial<ProviderTerms> & {
    readonly chat?: Parameters<typeof chatApi>[0];
    /** What every API has here beside the usual. */
    readonly differs?: (api: ProviderApi) => ProviderApi;
  };

/** A host that serves models of many makers by OpenAI's API. Its models are taken for the largest. */
export function host(name: string, { chat, differs = (api) => api, ...terms }: HostTerms): Provider {
  const none = chat?.notMeteredModels ?? null;
  return provider(name, {
    prices: name,
    auth: bearer,
    serves: {
      "/v1/chat/completions": differs(chatApi(chat)),
      "/v1/completions": differs(withoutModels(none, withMembers(openAiCompletions, HOST_MEMBERS))),
      "/v1/embeddings": differs(withoutModels(none, withMembers(openAiEmbeddings, HOST_EMBEDDING_MEMBERS))),
    },
    free: ["GET /v1/models", "GET /v1/models/{model}"],
    models: [],
    errorBody: openAiError,
    ...terms,
  });
}
