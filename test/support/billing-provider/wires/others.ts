import { frameOf } from "../../../../scripts/stand-in/bedrock.ts";
import { inputOf, outputOf } from "../rates.ts";
import type { Json, Piece, Wire } from "../shape.ts";
import { event, known } from "./events.ts";
import { messages } from "./messages.ts";

const AWS_STREAM = "application/vnd.amazon.eventstream";

function frame(name: string, payload: Json, tokens = 0): Piece {
  return { bytes: frameOf({ ":message-type": "event", ":event-type": name }, payload), tokens };
}

/** Bedrock's own API. Its input leaves out what a cache had to do with. */
export const converse: Wire = {
  usageOf(billed) {
    const { text = 0, cached = 0, written = 0, writtenForAnHour = 0 } = billed;
    return {
      inputTokens: text,
      outputTokens: outputOf(billed),
      totalTokens: inputOf(billed) + outputOf(billed),
      cacheReadInputTokens: cached,
      cacheWriteInputTokens: written + writtenForAnHour,
      cacheDetails: [
        { ttl: "5m", inputTokens: written },
        { ttl: "1h", inputTokens: writtenForAnHour },
      ],
    };
  },
  whole: ({ words, usage }) =>
    known({
      output: { message: { role: "assistant", content: [{ text: words.join("") }] } },
      stopReason: "end_turn",
      usage: usage ?? undefined,
      metrics: { latencyMs: 100 },
    }),
  pieces: ({ words, usage }) => [
    frame("messageStart", { role: "assistant" }),
    ...words.map((text) =>
      frame("contentBlockDelta", { contentBlockIndex: 0, delta: { text }, p: "abc" }, 1),
    ),
    frame("contentBlockStop", { contentBlockIndex: 0 }),
    frame("messageStop", { stopReason: "end_turn" }),
    frame("metadata", known({ usage: usage ?? undefined, metrics: { latencyMs: 100 } })),
  ],
  streamType: AWS_STREAM,
};

/** Claude by Bedrock's `invoke`: its own events, in the bytes of chunks. */
export const invoke: Wire = {
  ...messages,
  pieces: (said) =>
    (messages.pieces?.(said) ?? []).map(({ bytes, tokens }) => {
      const data = /^data: (.*)$/m.exec(String(bytes))?.[1] ?? "";
      return frame("chunk", { bytes: Buffer.from(data).toString("base64"), p: "abc" }, tokens);
    }),
  streamType: AWS_STREAM,
};

/** Amazon's embeddings. */
export const titan: Wire = {
  usageOf: (billed) => ({ inputTextTokenCount: inputOf(billed) }),
  whole: ({ usage }) => ({ embedding: [0.1, 0.2], ...usage }),
};

/** Cohere's chats. */
export const cohere: Wire = {
  usageOf(billed) {
    const counts = { input_tokens: inputOf(billed), output_tokens: outputOf(billed) };
    return {
      billed_units: counts,
      tokens: { ...counts, input_tokens: inputOf(billed) + 70 },
      cached_tokens: 0,
    };
  },
  whole: ({ words, usage }) =>
    known({
      id: "1",
      finish_reason: "COMPLETE",
      message: { role: "assistant", content: [{ type: "text", text: words.join("") }] },
      usage: usage ?? undefined,
    }),
  pieces: ({ words, usage }) => [
    typed("message-start", { id: "1", delta: { message: { role: "assistant", content: [] } } }),
    ...words.map((text) =>
      typed("content-delta", { index: 0, delta: { message: { content: { text } } } }, 1),
    ),
    typed("message-end", { delta: known({ finish_reason: "COMPLETE", usage: usage ?? undefined }) }),
  ],
};

function typed(name: string, data: Json, tokens = 0): Piece {
  return event({ type: name, ...data }, { name, tokens });
}

/** Cohere's embeddings. */
export const cohereEmbeddings: Wire = {
  usageOf: (billed) => ({ billed_units: { input_tokens: inputOf(billed) } }),
  whole: ({ usage }) =>
    known({ id: "1", embeddings: { float: [[0.1]] }, texts: [], meta: usage ?? undefined }),
};

/** Gemini's embeddings tell no usage. */
export const geminiEmbeddings: Wire = {
  usageOf: () => ({}),
  whole: () => ({ embedding: { values: [0.1, 0.2] } }),
};

/** Workers AI, in its own form. */
export const workersAi: Wire = {
  usageOf: (billed) => ({
    prompt_tokens: inputOf(billed),
    completion_tokens: outputOf(billed),
    total_tokens: inputOf(billed) + outputOf(billed),
  }),
  whole: ({ words, usage }) => known({ response: words.join(""), usage: usage ?? undefined }),
  pieces: ({ words, usage }) => [
    ...words.map((response) => event({ response }, { tokens: 1 })),
    event(known({ response: "", usage: usage ?? undefined })),
    event("[DONE]"),
  ],
};
