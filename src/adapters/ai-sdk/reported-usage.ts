import type { Usage } from "../../providers/provider-api.ts";
import { countOf, partsOf, totalsOf } from "../../providers/usage/counts.ts";
import type { Reading } from "../../providers/usage/reading.ts";

/** Tokens of one side, as versions 6 and 7 of the SDK report them. */
interface TokenDetails {
  readonly total: number | undefined;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
  readonly reasoning?: number | undefined;
}

/** The usage of a language model's answer. Version 5 reports plain numbers. */
export interface ReportedUsage {
  readonly inputTokens: number | TokenDetails | undefined;
  readonly outputTokens: number | TokenDetails | undefined;
  readonly reasoningTokens?: number | undefined;
  readonly cachedInputTokens?: number | undefined;
}

/** Null if the numbers are missing or cannot be right. */
export function usageOf(reported: ReportedUsage): Usage | null {
  const input = detailsOf(reported.inputTokens, { cacheRead: reported.cachedInputTokens });
  const output = detailsOf(reported.outputTokens, { reasoning: reported.reasoningTokens });
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
  reported: number | TokenDetails | undefined,
  parts: Omit<TokenDetails, "total">,
): TokenDetails {
  return typeof reported === "object" ? reported : { total: reported, ...parts };
}

const NOT_REPORTED = {
  units: null,
  variant: null,
  costUsd: null,
  isStream: false,
  countedOutput: 0,
  hasUncounted: false,
} as const;

/** The reading of an answer, with its usage or without. */
export function readingOf(usage: Usage | null): Reading {
  const isKnown = usage !== null;
  return { ...NOT_REPORTED, usage, isWhole: isKnown, isDone: isKnown, hasFailed: false };
}

/** The usage of an embedding. Only its input costs. */
export function embeddingUsage(tokens: number | undefined): Usage | null {
  const input_tokens = countOf(tokens);
  return input_tokens === null ? null : { input_tokens, output_tokens: 0 };
}
