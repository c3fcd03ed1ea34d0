import { inputOf, outputOf } from "../rates.ts";
import type { Json, Said, Wire } from "../shape.ts";
import { event } from "./events.ts";

/** OpenAI's responses. */
export const responses: Wire = {
  usageOf(billed) {
    const [input, output] = [inputOf(billed), outputOf(billed)];
    return {
      input_tokens: input,
      input_tokens_details: { cached_tokens: billed.cached ?? 0 },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: billed.thoughts ?? 0 },
      total_tokens: input + output,
    };
  },
  whole: (said) => response(said, "completed"),
  pieces(said) {
    const at = { output_index: said.items.length, item_id: "msg_1" };
    const item = { ...message(said), status: "in_progress", content: [] };
    return [
      named("response.created", { response: { ...response(said, "in_progress"), output: [], usage: null } }),
      ...said.items.map((done, output_index) =>
        named("response.output_item.done", { output_index, item: done }),
      ),
      named("response.output_item.added", { output_index: at.output_index, item }),
      ...said.words.map((delta) =>
        named("response.output_text.delta", { ...at, content_index: 0, delta, logprobs: [] }, 1),
      ),
      named("response.completed", { response: response(said, "completed") }),
    ];
  },
  failure: () => named("error", { code: "server_error", message: "The server had an error.", param: null }),
};

function named(name: string, data: Json, tokens = 0) {
  return event({ type: name, sequence_number: 0, ...data }, { name, tokens });
}

function message({ words }: Said): Json {
  const content = [{ type: "output_text", text: words.join(""), annotations: [], logprobs: [] }];
  return { id: "msg_1", type: "message", status: "completed", role: "assistant", content };
}

function response(said: Said, status: string): Json {
  return {
    id: "resp_1",
    object: "response",
    created_at: 1_760_000_000,
    status,
    error: null,
    incomplete_details: null,
    model: said.model,
    output: [...said.items, message(said)],
    parallel_tool_calls: true,
    service_tier: said.tier ?? "default",
    tools: [],
    usage: said.usage,
  };
}
