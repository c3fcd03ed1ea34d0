import { openAiSpeech, openAiTranscriptions } from "./apis/openai-audio.ts";
import { chatApi } from "./apis/openai-chat.ts";
import { openAiCompletions } from "./apis/openai-completions.ts";
import { openAiEmbeddings } from "./apis/openai-embeddings.ts";
import { openAiImageEdits, openAiImages } from "./apis/openai-images.ts";
import { openAiResponses } from "./apis/openai-responses.ts";
import { openai } from "./openai.ts";
import type { ProviderApi } from "./provider-api.ts";
import { azureKeyHeader, provider } from "./provider.ts";
import { openAiError } from "./wire-refusal.ts";

/** The calls of a deployment, and those of the newer form of the API, which names the deployment as the model. */
const SERVED = {
  "/chat/completions": chatApi({ bound: "max_completion_tokens", knowsBothBounds: true, members: [] }),
  "/completions": openAiCompletions,
  "/embeddings": openAiEmbeddings,
  "/images/generations": openAiImages,
  "/images/edits": openAiImageEdits,
  "/audio/speech": openAiSpeech,
  "/audio/transcriptions": openAiTranscriptions,
  "/audio/translations": openAiTranscriptions,
};

/** OpenAI's models on Azure. Only the operator can say which model a deployment has. */
export const azure = provider("azure", {
  prices: "azure",
  url: null,
  hosts: /\.(?:openai|cognitiveservices|services\.ai)\.azure\.com$/,
  auth: azureKeyHeader,
  serves: {
    ...under("/openai/deployments/{model}", SERVED),
    ...under("/openai/v1", { ...SERVED, "/responses": openAiResponses }),
    ...under("/openai", { "/responses": openAiResponses }),
  },
  free: ["GET /openai/models", "GET /openai/v1/models", "GET /openai/v1/models/{model}"],
  models: openai.models,
  errorBody: openAiError,
});

/** The APIs as Azure serves them. */
function under(prefix: string, paths: Readonly<Record<string, ProviderApi>>): Record<string, ProviderApi> {
  return Object.fromEntries(Object.entries(paths).map(([path, api]) => [prefix + path, served(api)]));
}

/** With the version in the query, and headers of Azure's own. */
function served(api: ProviderApi): ProviderApi {
  return {
    ...api,
    queryNames: new Set(["api-version"]),
    ownHeaders: new Set([...(api.ownHeaders ?? []), "x-ms-client-request-id", "x-ms-useragent"]),
  };
}
