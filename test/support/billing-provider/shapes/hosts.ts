import { type Json, nothing, PROMPT, type Shape, without, zeros } from "../shape.ts";
import { chat } from "../wires/chat.ts";
import {
  cohere,
  cohereEmbeddings,
  converse,
  geminiEmbeddings,
  invoke,
  titan,
  workersAi,
} from "../wires/others.ts";

const CLAUDE = "global.anthropic.claude-sonnet-4-5-20250929-v1:0";
const BEDROCK = {
  host: "bedrock",
  path: `/model/${CLAUDE}/converse`,
  body: { messages: [{ role: "user", content: [{ text: PROMPT }] }], inferenceConfig: { maxTokens: 2000 } },
  wire: converse,
  priced: `aws ${CLAUDE}`,
  billed: { text: 400, cached: 200, written: 100, output: 60 },
} as const satisfies Omit<Shape, "name">;
const FRAMES = {
  ...BEDROCK,
  path: `${BEDROCK.path}-stream`,
  isStream: true,
  billed: { text: 400, output: 60 },
} as const;
const INVOKE = {
  ...BEDROCK,
  path: `/model/${CLAUDE}/invoke`,
  body: {
    anthropic_version: "bedrock-2023-05-31",
    max_tokens: 2000,
    messages: [{ role: "user", content: PROMPT }],
  },
  wire: invoke,
} as const;
const TITAN = {
  ...BEDROCK,
  path: "/model/amazon.titan-embed-text-v2:0/invoke",
  body: { inputText: PROMPT },
  wire: titan,
  priced: "aws amazon.titan-embed-text-v2:0",
  billed: { text: 700 },
} as const;

const COHERE = {
  host: "cohere",
  path: "/v2/chat",
  body: { model: "command-a-03-2025", messages: [{ role: "user", content: PROMPT }] },
  wire: cohere,
  priced: "cohere command-a-03-2025",
  billed: { text: 400, output: 60 },
} as const satisfies Omit<Shape, "name">;

/** A chat at a host that is compatible with OpenAI. */
function compatible(host: string, priced: string, fields: Json = {}): Omit<Shape, "name"> {
  const model = priced.slice(priced.indexOf(" ") + 1);
  const messages = [{ role: "user", content: PROMPT }];
  return {
    host,
    path: "/v1/chat/completions",
    body: { model, messages, ...fields },
    wire: chat,
    priced,
    billed: { text: 400, output: 60 },
  };
}
const groq = compatible("groq", "groq llama-3.1-8b-instant");
const deepseek = compatible("deepseek", "deepseek deepseek-chat");
const grok = compatible("xai", "x-ai grok-4");
const sonar = { ...compatible("perplexity", "perplexity sonar"), path: "/chat/completions" };
const router = compatible("openrouter", "openrouter openai/gpt-4o-mini");

export const others: readonly Shape[] = [
  { ...BEDROCK, name: "converse" },
  { ...FRAMES, name: "converse, streamed" },
  { ...FRAMES, name: "converse, streamed, left", ends: "left" },
  { ...FRAMES, name: "converse, streamed, cut", ends: "cut" },
  { ...FRAMES, name: "converse, streamed, usage missing", tells: nothing },
  { ...BEDROCK, name: "converse, output not told", tells: without("outputTokens", "totalTokens") },
  { ...BEDROCK, name: "converse, lost after the work", ends: "lost" },
  {
    ...BEDROCK,
    name: "converse, a header that is not listed",
    headers: { "x-amzn-bedrock-service-tier": "priority" },
    isHostile: true,
  },
  { ...BEDROCK, name: "converse, a query", path: `${BEDROCK.path}?fields=output`, isHostile: true },
  { ...INVOKE, name: "invoke" },
  { ...INVOKE, name: "invoke, streamed", path: `${INVOKE.path}-with-response-stream`, isStream: true },
  { ...TITAN, name: "invoke, an embedding" },
  { ...COHERE, name: "Cohere's chat" },
  { ...COHERE, name: "Cohere's chat, streamed", body: { ...COHERE.body, stream: true }, isStream: true },
  {
    ...COHERE,
    name: "Cohere's chat, streamed, cut",
    body: { ...COHERE.body, stream: true },
    isStream: true,
    ends: "cut",
  },
  { ...COHERE, name: "Cohere's chat, usage missing", tells: nothing },
  {
    ...COHERE,
    name: "Cohere's embedding",
    path: "/v2/embed",
    body: { model: "embed-v4.0", input_type: "search_query", embedding_types: ["float"], texts: [PROMPT] },
    wire: cohereEmbeddings,
    priced: "cohere embed-v4.0",
    billed: { text: 700 },
  },
  {
    host: "gemini",
    name: "Gemini's embedding",
    path: "/v1beta/models/gemini-embedding-001:embedContent",
    body: { content: { parts: [{ text: PROMPT }] } },
    wire: geminiEmbeddings,
    priced: "google gemini-embedding-001",
    billed: { text: 700 },
  },
  { ...groq, name: "Groq's chat" },
  { ...groq, name: "Groq's chat, streamed", body: { ...groq.body, stream: true }, isStream: true },
  { ...compatible("mistral", "mistral mistral-large-latest"), name: "Mistral's chat" },
  { ...router, name: "OpenRouter's chat" },
  {
    ...router,
    name: "OpenRouter's chat, a choice of hosts",
    body: { ...router.body, provider: { order: ["dearest"] } },
    isHostile: true,
  },
  {
    ...deepseek,
    name: "DeepSeek's chat, with its own words for a cache",
    billed: { text: 300, cached: 600, output: 60 },
    tells: (usage) => ({
      ...without("prompt_tokens_details")(usage),
      prompt_cache_hit_tokens: 600,
      prompt_cache_miss_tokens: 300,
    }),
  },
  { ...grok, name: "xAI's chat, above 128,000 tokens", billed: { text: 150_000, output: 60 } },
  {
    ...grok,
    name: "xAI's chat, thoughts told beside the output",
    billed: { text: 400, output: 60, thoughts: 500 },
    tells: (usage) => ({ ...usage, completion_tokens: 60 }),
  },
  {
    ...sonar,
    name: "Perplexity's chat",
    billed: { text: 400, output: 60, requests: 1 },
    tells: (usage) => ({ ...usage, search_context_size: "low" }),
  },
];

const AI = {
  host: "cloudflare",
  path: "/ai/run",
  body: { prompt: PROMPT, max_tokens: 2000 },
  wire: workersAi,
  priced: "cloudflare @cf/meta/llama-3.1-8b-instruct",
  billed: { text: 400, output: 60 },
} as const satisfies Omit<Shape, "name">;
const AI_STREAM = { ...AI, body: { ...AI.body, stream: true }, isStream: true } as const;

/** Workers AI, which a Worker calls by its binding. */
export const workersAis: readonly Shape[] = [
  { ...AI, name: "Workers AI" },
  { ...AI_STREAM, name: "Workers AI, streamed" },
  { ...AI_STREAM, name: "Workers AI, streamed, left", ends: "left" },
  { ...AI_STREAM, name: "Workers AI, streamed, usage missing", tells: nothing },
  { ...AI, name: "Workers AI, usage missing", tells: nothing },
  { ...AI, name: "Workers AI, output not told", tells: without("completion_tokens", "total_tokens") },
  {
    ...AI_STREAM,
    name: "Workers AI, streamed, usage of zeros",
    tells: zeros,
  },
  {
    ...AI,
    name: "Workers AI, two bounds",
    body: { ...AI.body, max_tokens: 10, max_completion_tokens: 6000 },
    billed: { text: 400, output: 6000 },
  },
];
