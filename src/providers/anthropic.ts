import { anthropicComplete } from "./apis/anthropic-complete.ts";
import { anthropicMessages } from "./apis/anthropic-messages.ts";
import { namingTier } from "./apis/request-members.ts";
import { apiKeyHeader, provider } from "./provider.ts";
import { anthropicError } from "./wire-refusal.ts";

/** More than the largest picture has. */
const pictureTokens = 5000;
/** Claude thinks unseen only where a request says so. Of models to come this is not known. */
const reasons = false;

export const anthropic = provider("anthropic", {
  prices: "anthropic",
  url: "https://api.anthropic.com",
  auth: apiKeyHeader,
  serves: {
    "/v1/messages": namingTier(anthropicMessages, "standard_only"),
    "/v1/complete": anthropicComplete,
  },
  free: ["POST /v1/messages/count_tokens", "GET /v1/models", "GET /v1/models/{model}"],
  models: [
    {
      models: /^claude-(?:instant|v?[12])/,
      contextTokens: 200_000,
      outputTokens: 4096,
      reasons,
      pictureTokens,
    },
    {
      models: /^claude-3-(?:opus|sonnet|haiku)/,
      contextTokens: 200_000,
      outputTokens: 4096,
      reasons,
      pictureTokens,
    },
    { models: /^claude-3[-.]5-/, contextTokens: 200_000, outputTokens: 8192, reasons, pictureTokens },
    {
      models: /^claude-(?:opus-4(?:-[01]|-20|$)|4-opus)/,
      contextTokens: 200_000,
      outputTokens: 32_000,
      reasons,
      pictureTokens,
    },
    { models: /^claude-haiku-4/, contextTokens: 200_000, outputTokens: 64_000, reasons, pictureTokens },
    {
      models: /^claude-(?:3[-.]7|(?:opus|sonnet)-4|4)/,
      contextTokens: 1_000_000,
      outputTokens: 128_000,
      reasons,
      pictureTokens,
    },
    { models: /^claude-/, contextTokens: 1_000_000, outputTokens: 128_000, reasons: true, pictureTokens },
  ],
  errorBody: anthropicError,
});
