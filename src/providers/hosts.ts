import { chatApi } from "./apis/openai-chat.ts";
import { HOST_MEMBERS } from "./apis/chat-members.ts";
import { withMaxPrice } from "./apis/request-members.ts";
import { host } from "./compatible.ts";
import { openRouterError } from "./wire-refusal.ts";

/** What is searched, and how it is shown. */
const PERPLEXITY_MEMBERS = [
  "disable_search",
  "image_domain_filter",
  "image_format_filter",
  "language_preference",
  "last_updated_after_filter",
  "last_updated_before_filter",
  "num_images",
  "num_search_results",
  "return_images",
  "return_related_questions",
  "search_after_date_filter",
  "search_before_date_filter",
  "search_domain_filter",
  "search_language_filter",
  "search_mode",
  "search_recency_filter",
  "stream_mode",
] as const;

/**
 * Hosts that are compatible with OpenAI. What each reads beside it is from its own reference. Left out is what would make it bill more
 * than tokens: searches, agents, guardrails, other models, or another host at another price.
 */
export const hosts = {
  mistral: host("mistral", {
    url: "https://api.mistral.ai",
    // It tells the usage of every stream, and takes no member that it does not know.
    chat: { asksForUsage: false },
  }),
  groq: host("groq", {
    url: "https://api.groq.com/openai",
    sdkPrefix: "/openai",
    chat: {
      bound: "max_completion_tokens",
      members: [...HOST_MEMBERS, "citation_options"],
      notMeteredModels: /(?:^|\/)compound/,
    },
  }),
  xai: host("xai", {
    prices: "x-ai",
    url: "https://api.x.ai",
    chat: { bound: "max_completion_tokens" },
  }),
  deepseek: host("deepseek", { url: "https://api.deepseek.com" }),
  openrouter: host("openrouter", {
    url: "https://openrouter.ai/api",
    chat: {
      members: [...HOST_MEMBERS, "cache_control", "trace", "transforms", "usage"],
      notMeteredModels: /:(?:online|nitro|exacto)(?:$|[:@])|^openrouter\/|@preset\//,
    },
    differs: withMaxPrice,
    errorBody: openRouterError,
  }),
  together: host("together", {
    url: "https://api.together.xyz",
    isOwnModel: "unmarked",
  }),
  fireworks: host("fireworks", {
    url: "https://api.fireworks.ai/inference",
    // Each model is named by its account, and those for everybody are of the host's.
    isOwnModel: ({ id }) => typeof id === "string" && /^accounts\/(?!fireworks\/)/.test(id),
  }),
  cerebras: host("cerebras", {
    url: "https://api.cerebras.ai",
    chat: { bound: "max_completion_tokens" },
  }),
  perplexity: host("perplexity", {
    url: "https://api.perplexity.ai",
    // It tells the usage with every piece. Its price has a search of the largest kind in each request.
    serves: {
      "/chat/completions": chatApi({
        asksForUsage: false,
        pricesSearch: true,
        members: [...HOST_MEMBERS, ...PERPLEXITY_MEMBERS],
        notMeteredModels: /deep-research|pro-search/,
      }),
    },
    free: [],
  }),
  ollama: host("ollama", { url: "http://localhost:11434", needsKey: false }),
  vllm: host("vllm", { url: "http://localhost:8000", needsKey: false }),
};
