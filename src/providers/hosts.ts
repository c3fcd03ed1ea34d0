import { chatApi } from "./apis/openai-chat.ts";
import { host } from "./compatible.ts";
import { openRouterError } from "./wire-refusal.ts";

/**
 * Hosts that are compatible with OpenAI. What each does beside it is from its own reference: a host that bills searches, agents or
 * a choice of hosts beside tokens is refused what would make it do so.
 */
export const hosts = {
  mistral: host("mistral", {
    url: "https://api.mistral.ai",
    // It tells the usage of every stream, and takes no member that it does not know.
    // Guardrails are calls of another model.
    chat: { asksForUsage: false, notMetered: ["guardrails"] },
  }),
  groq: host("groq", {
    url: "https://api.groq.com/openai",
    sdkPrefix: "/openai",
    chat: {
      bound: "max_completion_tokens",
      notMetered: ["compound_custom", "search_settings"],
      notMeteredModels: /(?:^|\/)compound/,
    },
  }),
  xai: host("xai", {
    prices: "x-ai",
    url: "https://api.x.ai",
    chat: { bound: "max_completion_tokens", notMetered: ["deferred"] },
  }),
  deepseek: host("deepseek", { url: "https://api.deepseek.com" }),
  openrouter: host("openrouter", {
    url: "https://openrouter.ai/api",
    chat: {
      // A caller that chooses among the hosts of a model chooses its price.
      notMetered: ["provider", "preset", "web_search"],
      notMeteredModels: /:(?:online|nitro|exacto)(?:$|[:@])|^openrouter\/|@preset\//,
    },
    errorBody: openRouterError,
  }),
  together: host("together", {
    url: "https://api.together.xyz",
    // Another model reads and answers, too, and is billed beside.
    chat: { notMetered: ["safety_model"] },
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
        notMetered: ["search_type", "web_search_options.search_type"],
        notMeteredModels: /deep-research|pro-search/,
      }),
    },
    free: [],
  }),
  ollama: host("ollama", { url: "http://localhost:11434", needsKey: false }),
  vllm: host("vllm", { url: "http://localhost:8000", needsKey: false }),
};
