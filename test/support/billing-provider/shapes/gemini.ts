import { type Ending, nothing, PROMPT, type Shape, without } from "../shape.ts";
import { chat } from "../wires/chat.ts";
import { gemini as wire } from "../wires/gemini.ts";

const contents = [{ role: "user", parts: [{ text: PROMPT }] }];
const pathOf = (model: string) => `/v1beta/models/${model}:generateContent`;
const STREAMED = "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse";

const PRO = {
  host: "gemini",
  path: pathOf("gemini-2.5-pro"),
  body: { contents },
  wire,
  priced: "google gemini-2.5-pro",
  billed: { text: 400, cached: 100, output: 40, thoughts: 300 },
} as const satisfies Omit<Shape, "name">;
/** What it writes costs far more than what it reads. */
const TALKS = { ...PRO, billed: { text: 20, output: 60_000 } } as const;
const LONG = {
  ...PRO,
  path: STREAMED,
  isStream: true,
  billed: { text: 400, output: 60, thoughts: 300 },
} as const;
const COMPATIBLE = {
  ...PRO,
  path: "/v1beta/openai/chat/completions",
  body: { model: "gemini-2.5-flash", messages: [{ role: "user", content: PROMPT }] },
  wire: chat,
  priced: "google gemini-2.5-flash",
  billed: { text: 400, output: 6000 },
} as const;

const of = (model: string) => ({ path: pathOf(model), priced: `google ${model}` });
const ending = (name: string, ends: Ending): Shape => ({
  ...LONG,
  name: `generate, streamed, ${name}`,
  ends,
});
const asked = (query: string) => ({ path: `${PRO.path}?${query}`, isHostile: true });

export const geminis: readonly Shape[] = [
  { ...PRO, name: "generate" },
  { ...PRO, name: "generate, streamed", path: STREAMED, isStream: true },
  { ...PRO, name: "generate, above 200,000 tokens", billed: { text: 210_000, cached: 10_000, output: 40 } },
  {
    ...PRO,
    ...of("gemini-2.5-flash"),
    name: "generate, sound in",
    billed: { text: 100, audioIn: 900, output: 40 },
  },
  {
    ...PRO,
    ...of("gemini-2.5-flash-image"),
    name: "generate, picture out",
    billed: { text: 100, output: 20, imageOut: 1290 },
  },
  ending("left", "left"),
  ending("left alone", "left alone"),
  ending("cut", "cut"),
  ending("broken off", "broken off"),
  { ...PRO, name: "generate, lost after the work", ends: "lost" },
  { ...PRO, name: "generate, usage missing", tells: nothing },
  {
    ...PRO,
    name: "generate, output not told",
    tells: without("candidatesTokenCount", "thoughtsTokenCount", "totalTokenCount"),
  },
  { ...PRO, name: "generate, thoughts told in the total alone", tells: without("thoughtsTokenCount") },
  { ...LONG, name: "generate, streamed, usage missing", tells: nothing },
  { ...LONG, name: "generate, streamed, usage at the beginning alone", tellsEarly: true },
  { ...COMPATIBLE, name: "Gemini's chat" },
  {
    ...COMPATIBLE,
    name: "Gemini's chat, streamed",
    body: { ...COMPATIBLE.body, stream: true },
    isStream: true,
    billed: { text: 400, output: 60 },
  },
  { ...TALKS, ...asked("fields=candidates,usageMetadata.promptTokenCount"), name: "generate, some fields" },
  { ...TALKS, ...asked("$fields=candidates,usageMetadata.promptTokenCount"), name: "generate, some $fields" },
  {
    ...TALKS,
    name: "generate, a mask in a header",
    headers: { "x-goog-fieldmask": "candidates,usageMetadata.promptTokenCount" },
    isHostile: true,
  },
  {
    ...LONG,
    name: "generate, streamed, some fields",
    path: `${STREAMED}&fields=candidates,usageMetadata.promptTokenCount`,
    isHostile: true,
  },
  {
    ...COMPATIBLE,
    name: "Gemini's chat, some fields",
    path: `${COMPATIBLE.path}?fields=choices,usage.prompt_tokens`,
    isHostile: true,
  },
  {
    ...PRO,
    ...of("gemini-2.5-flash"),
    name: "generate, sound in, numbers for enums",
    path: `${pathOf("gemini-2.5-flash")}?$alt=json;enum-encoding=int`,
    billed: { text: 100, audioIn: 900, output: 40 },
    isHostile: true,
  },
  {
    ...PRO,
    name: "generate, a member that is no member",
    body: { contents, serviceTier: "priority" },
    isHostile: true,
  },
  { ...PRO, ...asked("prettyPrint=false"), name: "generate, a query that is not listed" },
  {
    ...PRO,
    name: "generate, a header that is not listed",
    headers: { "x-goog-usage": "none" },
    isHostile: true,
  },
];
