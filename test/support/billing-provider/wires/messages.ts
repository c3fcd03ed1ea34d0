import { outputOf } from "../rates.ts";
import type { Json, Said, Wire } from "../shape.ts";
import { event, known } from "./events.ts";

/** Anthropic's messages. The input leaves out what a cache had to do with. */
export const messages: Wire = {
  usageOf(billed) {
    const { text = 0, cached = 0, written = 0, writtenForAnHour = 0, searches = 0, tier } = billed;
    return known({
      input_tokens: text,
      cache_creation_input_tokens: written + writtenForAnHour,
      cache_read_input_tokens: cached,
      cache_creation: {
        ephemeral_5m_input_tokens: written,
        ephemeral_1h_input_tokens: writtenForAnHour,
      },
      output_tokens: outputOf(billed),
      server_tool_use: searches === 0 ? undefined : { web_search_requests: searches, web_fetch_requests: 0 },
      service_tier: "standard",
      speed: tier === "fast" ? "fast" : undefined,
      inference_geo: tier === "us" ? "us" : "not_available",
    });
  },
  whole: (said) => ({
    ...message(said),
    content: [{ type: "text", text: said.words.join("") }],
    stop_reason: "end_turn",
    usage: said.usage ?? undefined,
  }),
  pieces(said) {
    const { usage, words } = said;
    // What was read is told at the beginning, and what was written at the end.
    const begun = usage === null ? undefined : { ...usage, output_tokens: 1 };
    const ended = said.tellsEarly || usage === null ? {} : { usage };
    return [
      named("message_start", { message: { ...message(said), content: [], stop_reason: null, usage: begun } }),
      named("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
      ...words.map((text) =>
        named("content_block_delta", { index: 0, delta: { type: "text_delta", text } }, 1),
      ),
      named("content_block_stop", { index: 0 }),
      named("message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, ...ended }),
      named("message_stop", {}),
    ];
  },
  failure: () => named("error", { error: { type: "overloaded_error", message: "Overloaded" } }),
};

function message({ model }: Said): Json {
  return { id: "msg_1", type: "message", role: "assistant", model, stop_sequence: null };
}

function named(name: string, data: Json, tokens = 0) {
  return event({ type: name, ...data }, { name, tokens });
}
