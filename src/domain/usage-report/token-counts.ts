import { TOKEN_CLASS_NAMES, type TokenClass } from "../../contract/token-classes.ts";

/** Tokens of runs: of the input, of the output, and of each class. Missing ones at the end are zero. */
export type TokenCounts = number[];

const CLASS_AT = new Map<string, number>(TOKEN_CLASS_NAMES.map((name, at) => [name, at + 2]));

interface Counted {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly extra: { readonly parts?: Readonly<Partial<Record<TokenClass, number>>> | undefined } | null;
}

export function addTokens(counts: TokenCounts, run: Counted): void {
  counts[0] = (counts[0] ?? 0) + run.inputTokens;
  counts[1] = (counts[1] ?? 0) + run.outputTokens;
  const parts = run.extra?.parts;
  if (parts === undefined) return;
  for (const [name, tokens] of Object.entries(parts)) {
    const at = CLASS_AT.get(name);
    if (at === undefined) continue;
    while (counts.length < at) counts.push(0);
    counts[at] = (counts[at] ?? 0) + tokens;
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
