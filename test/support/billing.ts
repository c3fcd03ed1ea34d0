/** What providers bill, by their published prices, in nano-dollars. It is written down here, apart from what we charge. */

interface BilledPrices {
  readonly input: number;
  readonly output: number;
  /** For each search. */
  readonly search?: number;
}

const PRICES: Readonly<Record<string, BilledPrices>> = {
  "gpt-4o-mini": { input: 150, output: 600, search: 10_000_000 },
  "gpt-5-mini": { input: 250, output: 2000, search: 10_000_000 },
  "gpt-3.5-turbo-instruct": { input: 1500, output: 2000 },
  "claude-sonnet-4-5": { input: 3000, output: 15_000, search: 10_000_000 },
};

export interface Used {
  readonly input: number;
  readonly output: number;
  readonly searches?: number;
}

export function billOf(model: string, { input, output, searches = 0 }: Used): bigint {
  const prices = PRICES[model];
  if (prices === undefined) throw new Error(`Nobody bills ${model}.`);
  return BigInt(input * prices.input + output * prices.output + searches * (prices.search ?? 0));
}

/** Of an amount in dollars, as the API writes it. */
export function nanosOf(amountUsd: string): bigint {
  const [whole = "0", part = ""] = amountUsd.split(".");
  return BigInt(whole) * 1_000_000_000n + BigInt(part.padEnd(9, "0"));
}
