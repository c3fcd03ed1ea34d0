import type { TokenClass, TokenTotal } from "../../contract/token-classes.ts";
import { COUNT_AT, savedParts } from "./sums.ts";

/** The counts of runs beside their number: as in `COUNTED`, without the first. Missing ones at the end are zero. */
export type TokenCounts = number[];

export interface RunTokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly extra: {
    readonly parts?: Readonly<Partial<Record<TokenClass, number>>> | undefined;
    readonly saved?: string | undefined;
  } | null;
}

/** Adds the tokens of a run, and what it saved. */
export function addTokens(counts: TokenCounts, run: RunTokens): void {
  addClasses(counts, run);
  const saved = run.extra?.saved;
  if (saved === undefined) return;
  const { saved_low, saved_high } = savedParts(saved);
  addAt(counts, SAVED_LOW, saved_low);
  addAt(counts, SAVED_HIGH, saved_high);
}

/** Adds the tokens of a run, by class. */
export function addClasses(counts: TokenCounts, run: RunTokens): void {
  addAt(counts, INPUT, run.inputTokens);
  addAt(counts, OUTPUT, run.outputTokens);
  const parts = run.extra?.parts;
  for (const name in parts) addAt(counts, placeOf(name), parts[name as TokenClass] ?? 0);
}

/** How many tokens of a class were added. */
export function tokensAdded(counts: TokenCounts, name: TokenClass | TokenTotal): number {
  return counts[placeOf(name)] ?? 0;
}

/** Below 0: it is not counted. */
function placeOf(name: string): number {
  return (COUNT_AT.get(name) ?? 0) - 1;
}

const INPUT = placeOf("input");
const OUTPUT = placeOf("output");
const SAVED_LOW = placeOf("saved_low");
const SAVED_HIGH = placeOf("saved_high");

function addAt(counts: TokenCounts, at: number, count: number): void {
  if (at < 0) return;
  while (counts.length < at) counts.push(0);
  counts[at] = (counts[at] ?? 0) + count;
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
