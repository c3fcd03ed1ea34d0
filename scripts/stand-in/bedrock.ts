import { crc32 } from "node:zlib";
import type { Piece } from "./piece.ts";
import type { StandInReply } from "./words.ts";

type Body = Readonly<Record<string, unknown>>;

/** Its input leaves out what a cache had. */
function usageOf({ inputTokens, outputTokens, cachedTokens }: StandInReply): object {
  return {
    inputTokens: inputTokens - cachedTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    cacheReadInputTokens: cachedTokens,
    cacheWriteInputTokens: 0,
  };
}

const METRICS = { latencyMs: 100 };

function stopReason({ isCutShort }: StandInReply): string {
  return isCutShort ? "max_tokens" : "end_turn";
}

export function converseBody(_: Body, said: StandInReply): object {
  const message = { role: "assistant", content: [{ text: said.words.join("") }] };
  return { output: { message }, stopReason: stopReason(said), usage: usageOf(said), metrics: METRICS };
}

function piece(name: string, payload: object, tokens = 0): Piece {
  return { text: frameOf({ ":message-type": "event", ":event-type": name }, payload), tokens };
}

export function* converseEvents(_: Body, said: StandInReply): Iterable<Piece> {
  yield piece("messageStart", { role: "assistant" }, said.reasoningTokens);
  for (const text of said.words)
    yield piece("contentBlockDelta", { contentBlockIndex: 0, delta: { text }, p: "abc" }, 1);
  yield piece("contentBlockStop", { contentBlockIndex: 0 });
  yield piece("messageStop", { stopReason: stopReason(said) });
  yield piece("metadata", { usage: usageOf(said), metrics: METRICS });
}

/** One frame of Amazon's event streams: lengths, their checksum, headers, what it carries, and the checksum of all. */
export function frameOf(headers: Readonly<Record<string, string>>, payload: object): Buffer {
  const named = Object.entries({ ...headers, ":content-type": "application/json" }).map(headerOf);
  const [head, body] = [Buffer.concat(named), Buffer.from(JSON.stringify(payload))];
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(lengths.length + 8 + head.length + body.length, 0);
  lengths.writeUInt32BE(head.length, 4);
  const whole = Buffer.concat([lengths, checksum(lengths), head, body]);
  return Buffer.concat([whole, checksum(whole)]);
}

const TEXT_TYPE = 7;

function headerOf([name, value]: [string, string]): Buffer {
  const [named, text] = [Buffer.from(name), Buffer.from(value)];
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text.length);
  return Buffer.concat([Buffer.of(named.length), named, Buffer.of(TEXT_TYPE), length, text]);
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}

/** What a request says, in the members that other APIs have for it. */
export function asOthers({ messages, inferenceConfig, additionalModelRequestFields: own }: Body): Body {
  const { maxTokens } = (inferenceConfig ?? {}) as Body;
  return {
    messages,
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    ...(own === undefined ? {} : { reasoning: own }),
  };
}
