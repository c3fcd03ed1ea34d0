import type { TokenClass } from "../../contract/token-classes.ts";
import { COUNT_AT, savedParts } from "./sums.ts";

/** The counts of runs beside their number: as in `COUNTED`, without the first. Missing ones at the end are zero. */
export type TokenCounts = number[];

interface RunTokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly extra: {
    readonly parts?: Readonly<Partial<Record<TokenClass, number>>> | undefined;
    readonly saved?: string | undefined;
  } | null;
}

export function addTokens(counts: TokenCounts, run: RunTokens): void {
  counts[0] = (counts[0] ?? 0) + run.inputTokens;
  counts[1] = (counts[1] ?? 0) + run.outputTokens;
  const { parts, saved } = run.extra ?? {};
  if (parts !== undefined) addNamed(counts, parts);
  if (saved !== undefined) addNamed(counts, { ...savedParts(BigInt(saved)) });
}

function addNamed(counts: TokenCounts, named: Readonly<Record<string, number | undefined>>): void {
  for (const name in named) {
    const count = named[name] ?? 0;
    const at = (COUNT_AT.get(name) ?? 0) - 1;
    if (at < 0) continue;
    while (counts.length < at) counts.push(0);
    counts[at] = (counts[at] ?? 0) + count;
  }
}

export function plusTokens(counts: TokenCounts, added: readonly number[]): void {
  for (const [at, tokens] of added.entries()) counts[at] = (counts[at] ?? 0) + tokens;
}

export function writeTokens(counts: readonly number[]): string {
  return counts.slice(0, counts.findLastIndex((count) => count !== 0) + 1).join(" ");
}

export function readTokens(text: string): TokenCounts {
  return text === "" ? [] : text.split(" ").map(Number);
}
