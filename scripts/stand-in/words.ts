/** What the stand-in says to a body, and what that costs. */
export interface StandInReply {
  readonly id: string;
  /** Each is one token. */
  readonly words: readonly string[];
  readonly inputTokens: number;
  /** Part of the input. */
  readonly cachedTokens: number;
  /** Part of the output. */
  readonly reasoningTokens: number;
  readonly outputTokens: number;
  readonly isCutShort: boolean;
}

export const STAND_IN_WORDS = ["the", "sun", "is", "up", "and", "we", "go", "on", "to", "see", "it", "all"];
const USUAL_WORDS = 12;
const MOST_WORDS = 100_000;
const REASONING_TOKENS = 8;
const BYTES_PER_TOKEN = 4;
/** A prompt of this size is in the provider's cache, as far as whole blocks go. */
const CACHED_BLOCK_TOKENS = 128;

let calls = 0;

export function replyTo(body: Readonly<Record<string, unknown>>, isSilent: boolean): StandInReply {
  const prompt = JSON.stringify(body["messages"] ?? body["input"] ?? body["prompt"] ?? "");
  const inputTokens = Math.max(1, Math.ceil(prompt.length / BYTES_PER_TOKEN));
  const most = Number(
    body["max_output_tokens"] ?? body["max_completion_tokens"] ?? body["max_tokens"] ?? MOST_WORDS,
  );
  const wanted = Number(/(\d+) words/.exec(prompt)?.[1] ?? USUAL_WORDS);
  const count = isSilent ? 0 : Math.min(wanted, most, MOST_WORDS);
  const thinks = body["reasoning_effort"] !== undefined || body["reasoning"] !== undefined;
  const reasoningTokens = thinks && !isSilent ? REASONING_TOKENS : 0;
  calls += 1;
  return {
    id: `standin${String(calls).padStart(8, "0")}`,
    words: Array.from(
      { length: count },
      (_, at) => `${at === 0 ? "" : " "}${STAND_IN_WORDS[at % STAND_IN_WORDS.length] ?? ""}`,
    ),
    inputTokens,
    cachedTokens: prompt.includes("cached") ? inputTokens - (inputTokens % CACHED_BLOCK_TOKENS) : 0,
    reasoningTokens,
    outputTokens: count + reasoningTokens,
    isCutShort: wanted > count,
  };
}
