import type { Piece } from "./piece.ts";
import type { StandInReply } from "./words.ts";

type Body = Readonly<Record<string, unknown>>;

/** Its candidates leave out what the model thought. */
function usageMetadata(
  { inputTokens, cachedTokens, reasoningTokens }: StandInReply,
  candidatesTokenCount: number,
): object {
  return {
    promptTokenCount: inputTokens,
    cachedContentTokenCount: cachedTokens,
    candidatesTokenCount,
    thoughtsTokenCount: reasoningTokens,
    totalTokenCount: inputTokens + candidatesTokenCount + reasoningTokens,
    promptTokensDetails: [{ modality: "TEXT", tokenCount: inputTokens }],
  };
}

function answerOf(
  { model }: Body,
  said: StandInReply,
  { text, count, isLast }: { text: string; count: number; isLast: boolean },
) {
  const content = { role: "model", parts: [{ text }] };
  const finish = isLast ? { finishReason: said.isCutShort ? "MAX_TOKENS" : "STOP" } : {};
  return {
    candidates: [{ content, index: 0, ...finish }],
    usageMetadata: usageMetadata(said, count),
    modelVersion: model,
    responseId: said.id,
  };
}

export function geminiBody(body: Body, said: StandInReply): object {
  return answerOf(body, said, { text: said.words.join(""), count: said.words.length, isLast: true });
}

function piece(event: object, tokens: number): Piece {
  return { text: `data: ${JSON.stringify(event)}\r\n\r\n`, tokens };
}

/** Every event has the usage so far. */
export function* geminiEvents(body: Body, said: StandInReply): Iterable<Piece> {
  for (const [at, text] of said.words.entries()) {
    const tokens = at === 0 ? 1 + said.reasoningTokens : 1;
    yield piece(answerOf(body, said, { text, count: at + 1, isLast: false }), tokens);
  }
  yield piece(answerOf(body, said, { text: "", count: said.words.length, isLast: true }), 0);
}

export function geminiEmbedding(): object {
  return { embedding: { values: [0.25, -0.5] } };
}

/** What a request says, in the members that other APIs have for it. */
export function asOthers({ contents, content, generationConfig }: Body): Body {
  const { maxOutputTokens, thinkingConfig } = (generationConfig ?? {}) as Body;
  return {
    messages: contents ?? content,
    ...(maxOutputTokens === undefined ? {} : { max_tokens: maxOutputTokens }),
    ...(thinkingConfig === undefined ? {} : { reasoning: thinkingConfig }),
  };
}
