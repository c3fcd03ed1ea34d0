import type { Piece } from "./piece.ts";
import type { StandInReply } from "./words.ts";

type Body = Readonly<Record<string, unknown>>;

const CREATED = 1_790_000_000;

function chatUsage({ inputTokens, outputTokens, cachedTokens, reasoningTokens }: StandInReply): object {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoningTokens, audio_tokens: 0 },
  };
}

function responseUsage({ inputTokens, outputTokens, cachedTokens, reasoningTokens }: StandInReply): object {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
  };
}

function finishReason(said: StandInReply): string {
  return said.isCutShort ? "length" : "stop";
}

export function chatBody({ model }: Body, said: StandInReply): object {
  const message = { role: "assistant", content: said.words.join(""), refusal: null };
  return {
    id: `chatcmpl-${said.id}`,
    object: "chat.completion",
    created: CREATED,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(said) }],
    usage: chatUsage(said),
  };
}

const DONE: Piece = { text: "data: [DONE]\n\n", tokens: 0 };

function choice(delta: object, reason: string | null = null): object {
  return { index: 0, delta, finish_reason: reason };
}

export function* chatEvents({ model, stream_options: options }: Body, said: StandInReply): Iterable<Piece> {
  const hasUsage = (options as { include_usage?: boolean } | undefined)?.include_usage === true;
  const base = { id: `chatcmpl-${said.id}`, object: "chat.completion.chunk", created: CREATED, model };
  const piece = (choices: readonly object[], tokens: number, usage: object | null = null): Piece => {
    const event = { ...base, choices, ...(hasUsage ? { usage } : {}) };
    return { text: `data: ${JSON.stringify(event)}\n\n`, tokens };
  };
  yield piece([choice({ role: "assistant", content: "" })], said.reasoningTokens);
  for (const word of said.words) yield piece([choice({ content: word })], 1);
  yield piece([choice({}, finishReason(said))], 0);
  if (hasUsage) yield piece([], 0, chatUsage(said));
  yield DONE;
}

function output({ id, words }: StandInReply): object[] {
  const content = [{ type: "output_text", text: words.join(""), annotations: [] }];
  return [{ id: `msg_${id}`, type: "message", status: "completed", role: "assistant", content }];
}

export function responseBody({ model, max_output_tokens: most = null }: Body, said: StandInReply): object {
  return {
    id: `resp_${said.id}`,
    object: "response",
    created_at: CREATED,
    status: said.isCutShort ? "incomplete" : "completed",
    error: null,
    incomplete_details: said.isCutShort ? { reason: "max_output_tokens" } : null,
    instructions: null,
    max_output_tokens: most,
    model,
    output: output(said),
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
    temperature: 1,
    top_p: 1,
    metadata: {},
    usage: responseUsage(said),
  };
}

export function* responseEvents(body: Body, said: StandInReply): Iterable<Piece> {
  let number = 0;
  const piece = (type: string, event: object, tokens = 0): Piece => {
    const text = `event: ${type}\ndata: ${JSON.stringify({ type, ...event, sequence_number: number })}\n\n`;
    number += 1;
    return { text, tokens };
  };
  const whole = responseBody(body, said) as { status: string; output: object[] };
  const begun = { ...whole, status: "in_progress", output: [], usage: null };
  const item = { ...output(said)[0], status: "in_progress", content: [] };
  const at = { item_id: `msg_${said.id}`, output_index: 0, content_index: 0 };
  const part = { type: "output_text", text: "", annotations: [] };
  yield piece("response.created", { response: begun }, said.reasoningTokens);
  yield piece("response.in_progress", { response: begun });
  yield piece("response.output_item.added", { output_index: 0, item });
  yield piece("response.content_part.added", { ...at, part });
  for (const word of said.words)
    yield piece("response.output_text.delta", { ...at, delta: word, logprobs: [] }, 1);
  const text = said.words.join("");
  yield piece("response.output_text.done", { ...at, text, logprobs: [] });
  yield piece("response.content_part.done", { ...at, part: { ...part, text } });
  yield piece("response.output_item.done", { output_index: 0, item: whole.output[0] });
  yield piece(`response.${whole.status}`, { response: whole });
}

const DIMENSIONS = 8;

export function embeddingBody({ model, input }: Body, said: StandInReply): object {
  const inputs = Array.isArray(input) ? input : [input];
  const embedding = Array.from({ length: DIMENSIONS }, (_, at) => (at + 1) / DIMENSIONS);
  return {
    object: "list",
    data: inputs.map((_, index) => ({ object: "embedding", index, embedding })),
    model,
    usage: { prompt_tokens: said.inputTokens, total_tokens: said.inputTokens },
  };
}
