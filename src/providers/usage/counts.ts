/** More than any model reads or writes. */
const MOST_TOKENS = 1_000_000_000_000;

/** A whole number that can be one of tokens. Null if it is none. */
export function countOf(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MOST_TOKENS
    ? (value as number)
    : null;
}

export function totalsOf(
  input: unknown,
  output: unknown,
): { input_tokens: number; output_tokens: number } | null {
  const [input_tokens, output_tokens] = [countOf(input), countOf(output)];
  return input_tokens === null || output_tokens === null ? null : { input_tokens, output_tokens };
}

/** Parts without those that are nothing. Counts above the total are left out, as a run with them would be refused. */
export function partsOf<Name extends string>(
  total: number,
  given: Readonly<Record<Name, unknown>>,
): { [Part in Name]?: number } {
  const parts: { [Part in Name]?: number } = {};
  let left = total;
  for (const [name, value] of Object.entries(given) as [Name, unknown][]) {
    const part = Math.min(left, countOf(value) ?? 0);
    if (part > 0) parts[name] = part;
    left -= part;
  }
  return parts;
}
