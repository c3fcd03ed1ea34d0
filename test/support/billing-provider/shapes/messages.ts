import { type Ending, nothing, PROMPT, type Shape, without, zeros } from "../shape.ts";
import { messages as wire } from "../wires/messages.ts";

const MODEL = "claude-sonnet-4-5";
const body = { model: MODEL, max_tokens: 5000, messages: [{ role: "user", content: PROMPT }] };
const streamed = { ...body, stream: true };

const CLAUDE = {
  host: "anthropic",
  path: "/v1/messages",
  headers: { "anthropic-version": "2023-06-01" },
  body,
  wire,
  priced: `anthropic ${MODEL}`,
  billed: { text: 400, output: 40 },
} as const satisfies Omit<Shape, "name">;
const CACHES = { text: 100, cached: 300, written: 200, writtenForAnHour: 400, output: 40 } as const;
const LONG = { ...CLAUDE, body: streamed, isStream: true, billed: { text: 400, output: 60 } } as const;

const CACHED_FOR_AN_HOUR = { type: "text", text: PROMPT, cache_control: { type: "ephemeral", ttl: "1h" } };

const opus = (fields: object) => ({
  body: { ...body, ...fields, model: "claude-opus-4-6" },
  priced: "anthropic claude-opus-4-6",
});
const ending = (name: string, ends: Ending): Shape => ({
  ...LONG,
  name: `messages, streamed, ${name}`,
  ends,
});

export const claude: readonly Shape[] = [
  { ...CLAUDE, name: "messages" },
  { ...CLAUDE, name: "messages, every cache", billed: CACHES },
  { ...CLAUDE, name: "messages, streamed", body: streamed, isStream: true },
  { ...CLAUDE, name: "messages, streamed, every cache", body: streamed, isStream: true, billed: CACHES },
  {
    ...CLAUDE,
    name: "messages, thoughts",
    body: { ...body, thinking: { type: "enabled", budget_tokens: 2000 } },
    billed: { text: 400, output: 40, thoughts: 1500 },
  },
  {
    ...CLAUDE,
    name: "messages, above 200,000 tokens",
    billed: { text: 190_000, cached: 30_000, output: 40 },
  },
  {
    ...CLAUDE,
    ...opus({ speed: "fast" }),
    name: "messages, fast",
    billed: { text: 400, output: 40, tier: "fast" },
  },
  {
    ...CLAUDE,
    ...opus({ inference_geo: "us" }),
    name: "messages, one country",
    billed: { text: 400, output: 40, tier: "us" },
  },
  {
    ...CLAUDE,
    name: "messages, three searches",
    body: { ...body, tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 5 }] },
    billed: { text: 90_000, output: 40, searches: 3 },
  },
  ending("left", "left"),
  ending("left alone", "left alone"),
  ending("cut", "cut"),
  ending("broken off", "broken off"),
  { ...CLAUDE, name: "messages, lost after the work", ends: "lost" },
  { ...CLAUDE, name: "messages, usage missing", tells: nothing },
  { ...CLAUDE, name: "messages, output not told", tells: without("output_tokens") },
  {
    ...CLAUDE,
    name: "messages, length of the cache not told",
    body: { ...body, messages: [{ role: "user", content: [CACHED_FOR_AN_HOUR] }] },
    billed: CACHES,
    tells: without("cache_creation"),
  },
  { ...CLAUDE, name: "messages, usage of zeros", tells: zeros },
  { ...LONG, name: "messages, streamed, usage missing", tells: nothing },
  { ...LONG, name: "messages, streamed, usage at the beginning alone", tellsEarly: true },
  { ...LONG, name: "messages, streamed, usage of zeros", tells: zeros },
  {
    ...CLAUDE,
    name: "messages, a member that is no member",
    body: { ...body, discount: 1 },
    isHostile: true,
  },
  { ...CLAUDE, name: "messages, a query", path: `${CLAUDE.path}?$fields=content`, isHostile: true },
  {
    ...CLAUDE,
    name: "messages, a header that is not listed",
    headers: { ...CLAUDE.headers, "anthropic-usage": "none" },
    isHostile: true,
  },
];
