import { geminiEmbed } from "./apis/gemini-embed.ts";
import { GEMINI_HEADERS, geminiGenerate, geminiStream } from "./apis/gemini-generate.ts";
import { chatApi } from "./apis/openai-chat.ts";
import { openAiEmbeddings } from "./apis/openai-embeddings.ts";
import { googleKeyHeader, provider } from "./provider.ts";
import { geminiError } from "./wire-refusal.ts";

/** Pictures are at most 3,072 pixels wide and high, in tiles of 258 tokens. */
const PICTURE_TOKENS = 8192;

/** Google's Gemini, by its own API and by the one that is compatible with OpenAI. */
export const gemini = provider("gemini", {
  prices: "google",
  url: "https://generativelanguage.googleapis.com",
  auth: googleKeyHeader,
  keyParameter: "key",
  serves: {
    ...of("/v1beta"),
    ...of("/v1"),
    "/v1beta/openai/chat/completions": { ...chatApi({ members: [] }), ownHeaders: GEMINI_HEADERS },
    "/v1beta/openai/embeddings": openAiEmbeddings,
  },
  free: [
    "GET /v1beta/models",
    "GET /v1beta/models/{model}",
    "GET /v1/models",
    "GET /v1/models/{model}",
    "POST /v1beta/models/{model}:countTokens",
    "POST /v1/models/{model}:countTokens",
    "GET /v1beta/openai/models",
  ],
  models: [
    {
      models: /embedding/,
      contextTokens: 2_097_152,
      outputTokens: 0,
      reasons: false,
      pictureTokens: PICTURE_TOKENS,
    },
    {
      models: /^(?:models\/)?gemini-(?:1\.5|2\.0)/,
      contextTokens: 2_097_152,
      outputTokens: 8192,
      reasons: false,
      pictureTokens: PICTURE_TOKENS,
    },
    {
      models: /^(?:models\/)?gemini-/,
      contextTokens: 1_048_576,
      outputTokens: 65_536,
      reasons: true,
      pictureTokens: PICTURE_TOKENS,
    },
  ],
  errorBody: geminiError,
});

function of(version: string) {
  return {
    [`${version}/models/{model}:generateContent`]: geminiGenerate,
    [`${version}/models/{model}:streamGenerateContent`]: geminiStream,
    [`${version}/models/{model}:embedContent`]: geminiEmbed,
    [`${version}/models/{model}:batchEmbedContents`]: geminiEmbed,
  };
}
