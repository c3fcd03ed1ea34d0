import type { Piece } from "./piece.ts";
import type { StandInReply } from "./words.ts";

type Body = Readonly<Record<string, unknown>>;

/** Its `input_tokens` leave out what the cache had. */
function usage({ inputTokens, cachedTokens }: StandInReply, outputTokens: number): object {
  return {
    input_tokens: inputTokens - cachedTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cachedTokens,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    output_tokens: outputTokens,
    service_tier: "standard",
  };
}

export function anthropicBody({ model }: Body, said: StandInReply): object {
  return {
    id: `msg_${said.id}`,
    type: "message",
    role: "assistant",
    model,
    content: [{ type: "text", text: said.words.join("") }],
    stop_reason: said.isCutShort ? "max_tokens" : "end_turn",
    stop_sequence: null,
    usage: usage(said, said.outputTokens),
  };
}

function piece(type: string, event: object, tokens = 0): Piece {
  return { text: `event: ${type}\ndata: ${JSON.stringify({ type, ...event })}\n\n`, tokens };
}

export function* anthropicEvents(body: Body, said: StandInReply): Iterable<Piece> {
  const message = { ...anthropicBody(body, said), content: [], stop_reason: null, usage: usage(said, 1) };
  yield piece("message_start", { message }, said.reasoningTokens);
  yield piece("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
  yield piece("ping", {});
  for (const word of said.words) {
    yield piece("content_block_delta", { index: 0, delta: { type: "text_delta", text: word } }, 1);
  }
  yield piece("content_block_stop", { index: 0 });
  const delta = { stop_reason: said.isCutShort ? "max_tokens" : "end_turn", stop_sequence: null };
  yield piece("message_delta", { delta, usage: { output_tokens: said.outputTokens } });
  yield piece("message_stop", {});
}
