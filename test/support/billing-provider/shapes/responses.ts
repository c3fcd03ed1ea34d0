import type { Billed } from "../rates.ts";
import { type Ending, type Json, nothing, PROMPT, type Shape, zeros } from "../shape.ts";
import { responses } from "../wires/responses.ts";

const body = { model: "o3", max_output_tokens: 4000, input: PROMPT };
const RESPONSE = {
  host: "openai",
  path: "/v1/responses",
  body,
  wire: responses,
  priced: "openai o3",
  billed: { text: 400, cached: 100, output: 40, thoughts: 900 },
} as const satisfies Omit<Shape, "name">;
const PLAIN = {
  ...RESPONSE,
  body: { ...body, model: "gpt-4o" },
  priced: "openai gpt-4o",
  billed: { text: 400, output: 60 },
} as const;
const STREAM = { ...PLAIN, body: { ...PLAIN.body, stream: true }, isStream: true } as const;
const SEARCHING = { ...body, tools: [{ type: "web_search" }] };

/** Each search is another pass over all that was read before, up to the bound that the request sets. */
const searching =
  (searches: number, inputTokens: number) =>
  ({ max_tool_calls: most = searches }: Json): Billed => {
    const made = Math.min(searches, Number(most));
    return { text: Math.ceil((inputTokens * (made + 1)) / (searches + 1)), output: 40, searches: made };
  };
const search = (type: string, text = "") => ({
  id: "ws_1",
  type: "web_search_call",
  status: "completed",
  action: { type, query: `rain${text}`, url: "https://example.com" },
});
const searches = ({ searches: count = 0 }: Billed) => Array.from({ length: count }, () => search("search"));
const ending = (name: string, ends: Ending): Shape => ({
  ...STREAM,
  name: `response, streamed, ${name}`,
  ends,
});

export const responded: readonly Shape[] = [
  { ...RESPONSE, name: "response" },
  { ...RESPONSE, name: "response, streamed", body: { ...body, stream: true }, isStream: true },
  ending("left", "left"),
  ending("left alone", "left alone"),
  ending("cut", "cut"),
  ending("broken off", "broken off"),
  { ...PLAIN, name: "response, lost after the work", ends: "lost" },
  { ...PLAIN, name: "response, usage missing", tells: nothing },
  { ...PLAIN, name: "response, usage of zeros", tells: zeros },
  { ...STREAM, name: "response, streamed, usage of zeros", tells: zeros },
  {
    ...RESPONSE,
    name: "response, two searches",
    body: SEARCHING,
    billed: searching(2, 60_000),
    items: searches,
  },
  {
    ...RESPONSE,
    name: "response, thirteen searches, more than the context",
    body: SEARCHING,
    billed: searching(13, 650_000),
    items: searches,
  },
  {
    ...RESPONSE,
    name: "response, ten searches of gpt-4o, more than the context",
    body: { ...SEARCHING, model: "gpt-4o", max_tool_calls: 10 },
    priced: "openai gpt-4o",
    billed: searching(10, 1_000_000),
    items: searches,
  },
  {
    ...RESPONSE,
    name: "response, pages opened",
    body: SEARCHING,
    billed: { text: 9000, output: 40, searches: 1 },
    items: [search("search"), search("open_page"), search("find_in_page")],
  },
  {
    ...RESPONSE,
    name: "response, one search, above 64 KiB",
    body: SEARCHING,
    billed: { text: 9000, output: 40, searches: 1 },
    items: [search("search", "x".repeat(80_000))],
  },
  {
    ...RESPONSE,
    name: "response, a search of a mini model",
    body: { ...SEARCHING, model: "gpt-4o-mini" },
    priced: "openai gpt-4o-mini",
    billed: { text: 400, unseen: 8000, output: 40, searches: 1 },
    items: [search("search")],
  },
  {
    ...RESPONSE,
    name: "response, a code interpreter",
    body: { ...body, tools: [{ type: "code_interpreter", container: { type: "auto" } }] },
    billed: { text: 3000, output: 40, sessions: 1 },
    items: [
      {
        id: "ci_1",
        type: "code_interpreter_call",
        status: "completed",
        code: "1",
        container_id: "c",
        outputs: [],
      },
    ],
  },
  {
    ...PLAIN,
    name: "response, a member that is no member",
    body: { ...PLAIN.body, rebate: 1 },
    isHostile: true,
  },
];
