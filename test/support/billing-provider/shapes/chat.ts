import { type Ending, nothing, PROMPT, type Shape, without, zeros } from "../shape.ts";
import { chat } from "../wires/chat.ts";

const MODEL = "gpt-4o-mini";
const messages = [{ role: "user", content: PROMPT }];
const body = { model: MODEL, messages };
const streamed = { ...body, stream: true };

const OPENAI = {
  host: "openai",
  path: "/v1/chat/completions",
  body,
  wire: chat,
  priced: `openai ${MODEL}`,
  billed: { text: 500, cached: 100, output: 40 },
} as const satisfies Omit<Shape, "name">;
const STREAM = { ...OPENAI, body: streamed, isStream: true } as const;
const LONG = { ...STREAM, billed: { text: 500, output: 60 } } as const;

const of = (model: string) => ({ body: { model, messages }, priced: `openai ${model}` });
const ending = (name: string, ends: Ending): Shape => ({ ...LONG, name: `chat, streamed, ${name}`, ends });

export const chats: readonly Shape[] = [
  { ...OPENAI, name: "chat" },
  { ...STREAM, name: "chat, streamed" },
  {
    ...STREAM,
    name: "chat, streamed, with its usage asked for",
    body: { ...streamed, stream_options: { include_usage: true } },
  },
  { ...OPENAI, name: "chat, three answers", body: { ...body, n: 3 }, billed: { text: 500, output: 120 } },
  { ...OPENAI, ...of("o3"), name: "chat, thoughts", billed: { text: 400, output: 40, thoughts: 2000 } },
  {
    ...OPENAI,
    ...of("gpt-4o-audio-preview"),
    name: "chat, sound in and out",
    body: {
      ...of("gpt-4o-audio-preview").body,
      modalities: ["text", "audio"],
      audio: { voice: "alloy", format: "wav" },
    },
    billed: { text: 200, audioIn: 300, output: 20, audioOut: 400 },
  },
  ending("left", "left"),
  ending("left alone", "left alone"),
  ending("cut", "cut"),
  ending("broken off", "broken off"),
  { ...OPENAI, name: "chat, lost after the work", ends: "lost" },
  { ...OPENAI, name: "chat, timed out after the work", ends: "timed out" },
  { ...OPENAI, name: "chat, usage missing", tells: nothing },
  { ...OPENAI, name: "chat, output not told", tells: without("completion_tokens", "total_tokens") },
  { ...OPENAI, name: "chat, usage of zeros", tells: zeros },
  { ...LONG, name: "chat, streamed, usage missing", tells: nothing },
  { ...LONG, name: "chat, streamed, output not told", tells: without("completion_tokens", "total_tokens") },
  { ...LONG, name: "chat, streamed, usage of zeros", tells: zeros },
  {
    ...LONG,
    name: "chat, streamed, usage before the text",
    tellsEarly: true,
    tells: (usage) => ({ ...usage, completion_tokens: 0, total_tokens: usage["prompt_tokens"] }),
  },
  {
    ...OPENAI,
    name: "chat, tier asked for and named",
    body: { ...body, service_tier: "priority" },
    billed: { text: 500, output: 40, tier: "priority" },
    tier: "priority",
  },
  {
    ...OPENAI,
    name: "chat, tier named and not asked for",
    billed: { text: 500, output: 40, tier: "priority" },
    tier: "priority",
  },
  {
    ...OPENAI,
    ...of("gpt-5-mini"),
    name: "chat, flex asked for and named",
    body: { ...of("gpt-5-mini").body, service_tier: "flex" },
    billed: { text: 500, output: 40, tier: "flex" },
    tier: "flex",
  },
  {
    ...OPENAI,
    ...of("gpt-5-mini"),
    name: "chat, flex asked for and not served",
    body: { ...of("gpt-5-mini").body, service_tier: "flex" },
    tier: "default",
  },
  {
    ...OPENAI,
    ...of("gpt-5-mini"),
    name: "chat, flex asked for and no tier named",
    body: { ...of("gpt-5-mini").body, service_tier: "flex" },
  },
  { ...OPENAI, name: "chat, tier that no price has", tier: "scale" },
  {
    ...OPENAI,
    ...of("gpt-4o-mini-search-preview"),
    name: "chat, search model",
    body: { ...of("gpt-4o-mini-search-preview").body, web_search_options: {} },
    billed: { text: 500, output: 40, searches: 1 },
  },
  { ...OPENAI, name: "chat, a member that is no member", body: { ...body, cheap: true }, isHostile: true },
  { ...OPENAI, name: "chat, a query", path: `${OPENAI.path}?fields=choices`, isHostile: true },
  {
    ...OPENAI,
    name: "chat, a header that is not listed",
    headers: { "openai-tier": "free" },
    isHostile: true,
  },
  {
    ...OPENAI,
    name: "chat, a member in capitals",
    body: { ...body, Max_Tokens: 1 },
    isHostile: true,
  },
];
