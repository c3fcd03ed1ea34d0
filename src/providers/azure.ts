import { openAiSpeech, openAiTranscriptions } from "./apis/openai-audio.ts";
import { chatApi } from "./apis/openai-chat.ts";
import { openAiCompletions } from "./apis/openai-completions.ts";
import { openAiEmbeddings } from "./apis/openai-embeddings.ts";
import { openAiImageEdits, openAiImages } from "./apis/openai-images.ts";
import { openAiResponses } from "./apis/openai-responses.ts";
import { openai } from "./openai.ts";
import { azureKeyHeader, provider } from "./provider.ts";
import { openAiError } from "./wire-refusal.ts";

/** The calls of a deployment, and those of the newer form of the API, which names the deployment as the model. */
const SERVED = {
  // The search of one's own data brings input that the body does not show.
  "/chat/completions": chatApi({
    bound: "max_completion_tokens",
    knowsBothBounds: true,
    notMetered: ["data_sources", "enhancements"],
  }),
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
    "/openai/responses": openAiResponses,
  },
  free: ["GET /openai/models", "GET /openai/v1/models", "GET /openai/v1/models/{model}"],
  models: openai.models,
  errorBody: openAiError,
});

function under<Api>(prefix: string, paths: Readonly<Record<string, Api>>): Record<string, Api> {
  return Object.fromEntries(Object.entries(paths).map(([path, api]) => [prefix + path, api]));
}
