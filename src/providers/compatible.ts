import { chatApi, withoutExtras } from "./apis/openai-chat.ts";
import { openAiCompletions } from "./apis/openai-completions.ts";
import { openAiEmbeddings } from "./apis/openai-embeddings.ts";
import { openai } from "./openai.ts";
import { bearer, type Provider, provider, type ProviderTerms } from "./provider.ts";
import { openAiError } from "./wire-refusal.ts";

/** A host that is compatible with OpenAI, of which nothing else is known. Its models are taken for the largest. */
export const compatible = provider("openai", {
  ...openai,
  serves: { ...openai.serves, "/v1/chat/completions": chatApi() },
});

/** The differences of a compatible host from the others. */
type HostTerms = Pick<ProviderTerms, "url"> &
  Partial<ProviderTerms> & { readonly chat?: Parameters<typeof chatApi>[0] };

/** A host that serves models of many makers by OpenAI's API. Its models are taken for the largest. */
export function host(name: string, { chat, ...terms }: HostTerms): Provider {
  return provider(name, {
    prices: name,
    auth: bearer,
    serves: {
      "/v1/chat/completions": chatApi(chat),
      "/v1/completions": withoutExtras(chat ?? {}, openAiCompletions),
      "/v1/embeddings": withoutExtras(chat ?? {}, openAiEmbeddings),
    },
    free: ["GET /v1/models", "GET /v1/models/{model}"],
    models: [],
    errorBody: openAiError,
    ...terms,
  });
}
