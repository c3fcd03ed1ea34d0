const PARTS_PER_USD = 1_000_000_000_000_000_000n;
const DIGITS = 18;
const FEWEST_DIGITS = 2;

/** A rate in billionths of a nano-dollar, in dollars: exact, with at least two decimal places. */
export function formatRate(parts: bigint): string {
  const fraction = String(parts % PARTS_PER_USD)
    .padStart(DIGITS, "0")
    .replace(/0+$/, "")
    .padEnd(FEWEST_DIGITS, "0");
  return `${parts / PARTS_PER_USD}.${fraction}`;
}
