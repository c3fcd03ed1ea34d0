import type { Usage } from "../../providers/provider-api.ts";
import { countOf, partsOf, totalsOf } from "../../providers/usage/counts.ts";
import type { Reading } from "../../providers/usage/reading.ts";

/** Tokens of one side, as versions 6 and 7 of the SDK tell them. */
interface TokenDetails {
  readonly total: number | undefined;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
  readonly reasoning?: number | undefined;
}

/** The usage of a language model's answer. Version 5 tells plain numbers. */
export interface ToldUsage {
  readonly inputTokens: number | TokenDetails | undefined;
  readonly outputTokens: number | TokenDetails | undefined;
  readonly reasoningTokens?: number | undefined;
  readonly cachedInputTokens?: number | undefined;
}

/** Null: it says nothing that can be believed. */
export function usageOf(told: ToldUsage): Usage | null {
  const input = detailsOf(told.inputTokens, { cacheRead: told.cachedInputTokens });
  const output = detailsOf(told.outputTokens, { reasoning: told.reasoningTokens });
  const totals = totalsOf(input.total, output.total);
  if (totals === null) return null;
  return {
    ...totals,
    ...partsOf(totals.input_tokens, {
      cache_read_tokens: input.cacheRead,
      cache_write_tokens: input.cacheWrite,
    }),
    ...partsOf(totals.output_tokens, { reasoning_tokens: output.reasoning }),
  };
}

function detailsOf(
  told: number | TokenDetails | undefined,
  parts: Omit<TokenDetails, "total">,
): TokenDetails {
  return typeof told === "object" ? told : { total: told, ...parts };
}

const UNTOLD = {
  units: null,
  variant: null,
  costUsd: null,
  isStream: false,
  countedOutput: 0,
  hasUncounted: false,
} as const;

/** The reading of an answer whose usage is known, or is not. */
export function readingOf(usage: Usage | null): Reading {
  const isTold = usage !== null;
  return { ...UNTOLD, usage, isWhole: isTold, isDone: isTold, hasFailed: false };
}

/** Of an embedding: only what was read costs. */
export function embeddingUsage(tokens: number | undefined): Usage | null {
  const input_tokens = countOf(tokens);
  return input_tokens === null ? null : { input_tokens, output_tokens: 0 };
}
