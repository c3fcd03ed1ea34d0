/** Money is an integer count of nano-dollars, so that adding up never rounds. */
const NANOS_PER_USD = 1_000_000_000n;

/**
 * The largest amount: a nano-dollar under a billion dollars. Counters are added up in bigint, but each stored amount
 * must fit SQLite's 64-bit integer (about $9.2 billion) with room to spare.
 */
export const MAX_USD_NANOS = 1_000_000_000n * NANOS_PER_USD - 1n;

const TOKENS_PER_PRICE = 1_000_000n;
const USD_PATTERN = /^0*(\d{1,9})(?:\.(\d{1,9}))?$/;

/** Nano-dollars of a decimal string, or null where the text is no amount this API takes. */
export function parseUsd(text: string): bigint | null {
  const match = USD_PATTERN.exec(text);
  if (match === null) return null;
  return BigInt((match[1] ?? "") + (match[2] ?? "").padEnd(9, "0"));
}

/** The decimal string of an amount: always two decimals, more only where they say something. */
export function formatUsd(nanos: bigint): string {
  const sign = nanos < 0n ? "-" : "";
  const digits = (nanos < 0n ? -nanos : nanos).toString().padStart(10, "0");
  const cents = digits.slice(-9, -7);
  const rest = digits.slice(-7).replace(/0+$/, "");
  return `${sign}${digits.slice(0, -9)}.${cents}${rest}`;
}

/** A model's price: nano-dollars for a million tokens, each way. */
export interface TokenPrice {
  readonly inputNanosPerMtok: bigint;
  readonly outputNanosPerMtok: bigint;
}

/** What tokens cost, rounded up to the next nano-dollar: a hold or a charge is never less than the price. */
export function costOfTokensRoundedUp(inputTokens: number, outputTokens: number, price: TokenPrice): bigint {
  const scaled =
    BigInt(inputTokens) * price.inputNanosPerMtok + BigInt(outputTokens) * price.outputNanosPerMtok;
  return (scaled + TOKENS_PER_PRICE - 1n) / TOKENS_PER_PRICE;
}
