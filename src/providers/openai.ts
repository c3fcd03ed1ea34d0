import { openAiSpeech, openAiTranscriptions } from "./apis/openai-audio.ts";
import { openAiChat } from "./apis/openai-chat.ts";
import { openAiCompletions } from "./apis/openai-completions.ts";
import { openAiEmbeddings } from "./apis/openai-embeddings.ts";
import { openAiImageEdits, openAiImages } from "./apis/openai-images.ts";
import { openAiCompaction, openAiResponses } from "./apis/openai-responses.ts";
import { namingTier } from "./apis/request-members.ts";
import { bearer, provider } from "./provider.ts";
import { openAiError } from "./wire-refusal.ts";

/** The owners of models that OpenAI offers. A model that was tuned has the name of an organization. */
const OPENAI_ITSELF = /^(?:system|openai(?:-dev|-internal)?)$/;

export const openai = provider("openai", {
  prices: "openai",
  url: "https://api.openai.com",
  auth: bearer,
  serves: {
    "/v1/chat/completions": namingTier(openAiChat, "default"),
    "/v1/completions": openAiCompletions,
    "/v1/engines/{model}/completions": openAiCompletions,
    "/v1/responses": namingTier(openAiResponses, "default"),
    "/v1/responses/compact": namingTier(openAiCompaction, "default"),
    "/v1/embeddings": openAiEmbeddings,
    "/v1/images/generations": openAiImages,
    "/v1/images/edits": openAiImageEdits,
    "/v1/audio/speech": openAiSpeech,
    "/v1/audio/transcriptions": openAiTranscriptions,
    "/v1/audio/translations": openAiTranscriptions,
  },
  free: ["GET /v1/models", "GET /v1/models/{model}", "POST /v1/moderations"],
  isOwnModel: ({ owned_by: owner }) => typeof owner === "string" && !OPENAI_ITSELF.test(owner),
  models: [
    {
      models: /^(?:ft:)?gpt-4o-mini/,
      contextTokens: 128_000,
      outputTokens: 16_384,
      reasons: false,
      pictureTokens: 48_169,
    },
    {
      models: /^(?:ft:)?(?:chatgpt-4o|gpt-4o|gpt-audio)/,
      contextTokens: 128_000,
      outputTokens: 16_384,
      reasons: false,
    },
    { models: /^(?:ft:)?gpt-4\.1/, contextTokens: 1_047_576, outputTokens: 32_768, reasons: false },
    { models: /^gpt-4\.5/, contextTokens: 128_000, outputTokens: 16_384, reasons: false },
    {
      models: /^gpt-4-(?:turbo|vision|1106|0125)/,
      contextTokens: 128_000,
      outputTokens: 4096,
      reasons: false,
    },
    { models: /^gpt-4-32k/, contextTokens: 32_768, outputTokens: 32_768, reasons: false },
    { models: /^(?:ft:)?gpt-4(?:-0\d{3})?$/, contextTokens: 8192, outputTokens: 8192, reasons: false },
    { models: /^(?:ft:)?gpt-3\.5/, contextTokens: 16_385, outputTokens: 4096, reasons: false },
    { models: /^(?:davinci-002|babbage-002)/, contextTokens: 16_384, outputTokens: 16_384, reasons: false },
    { models: /^text-embedding-/, contextTokens: 2_097_152, outputTokens: 0, reasons: false },
    { models: /^gpt-4o(?:-mini)?-transcribe/, contextTokens: 16_000, outputTokens: 2000, reasons: false },
    { models: /^o1-(?:mini|preview)/, contextTokens: 128_000, outputTokens: 65_536, reasons: true },
    { models: /^(?:o1|o3|o4)/, contextTokens: 200_000, outputTokens: 100_000, reasons: true },
    { models: /^gpt-5(?:\.[0-3])?(?:-|$)/, contextTokens: 400_000, outputTokens: 128_000, reasons: true },
    {
      models: /^gpt-[56]/,
      contextTokens: 1_050_000,
      outputTokens: 128_000,
      reasons: true,
      // They read pictures as they are, without making them smaller.
      pictureTokens: 48_169,
    },
  ],
  errorBody: openAiError,
});
