import { USD_MOST_DIGITS } from "../contract/bounds.ts";
import { THREE_DIGITS } from "./digits.ts";

/** Money is an integer number of nano-dollars, so that sums are never rounded. */
const NANOS_PER_USD = 1_000_000_000n;

/**
 * The largest amount: a nano-dollar under a billion dollars. Counters are added up in bigint, but each stored amount
 * must fit SQLite's 64-bit integer (about $9.2 billion) with room to spare.
 */
export const MAX_USD_NANOS = 1_000_000_000n * NANOS_PER_USD - 1n;

const DIGITS = String.raw`\d{1,${USD_MOST_DIGITS}}`;
const USD_PATTERN = new RegExp(String.raw`^0*${DIGITS}(?:\.${DIGITS})?$`);

/** Whether a text is an amount that this API accepts. */
export function isUsd(text: string): boolean {
  return USD_PATTERN.test(text);
}

/** Nano-dollars of a decimal string, or null if the text is not a valid amount. */
export function parseUsd(text: string): bigint | null {
  if (!isUsd(text)) return null;
  const small = parseSmallUsd(text);
  if (small !== null) return BigInt(small);
  const [dollars = "", fraction = ""] = text.split(".");
  return BigInt(dollars + fraction.padEnd(9, "0"));
}

/** An amount as a number, if it can be exact (up to about nine million dollars). Otherwise null. */
export function parseSmallUsd(text: string): number | null {
  const point = text.indexOf(".");
  const whole = point < 0 ? text : text.slice(0, point);
  const decimals = point < 0 ? 0 : text.length - point - 1;
  const rest =
    decimals === 0 ? 0 : Number(text.slice(point + 1)) * (POWERS_OF_TEN[9 - decimals] ?? Number.NaN);
  const nanos = Number(whole) * NANOS + rest;
  return Number.isSafeInteger(nanos) ? nanos : null;
}

/** The decimal string of an amount, with at least two decimal places and no further trailing zeros. */
export function formatUsd(nanos: bigint): string {
  if (nanos < 0n) return `-${formatUsd(-nanos)}`;
  return formatParts(Number(nanos / NANOS_PER_USD), Number(nanos % NANOS_PER_USD));
}

/** An amount as two numbers, to add and format without bigint. */
export interface UsdParts {
  readonly dollars: number;
  readonly nanos: number;
}

export function usdParts(nanos: bigint): UsdParts {
  return { dollars: Number(nanos / NANOS_PER_USD), nanos: Number(nanos % NANOS_PER_USD) };
}

/** The decimal string of a sum, or zero if it is negative. */
export function formatSum(left: UsdParts, right: number): string {
  const rightNanos = right % NANOS;
  let dollars = left.dollars + (right - rightNanos) / NANOS;
  let nanos = left.nanos + rightNanos;
  if (nanos >= NANOS) {
    nanos -= NANOS;
    dollars += 1;
  } else if (nanos < 0) {
    nanos += NANOS;
    dollars -= 1;
  }
  return dollars < 0 ? "0.00" : formatParts(dollars, nanos);
}

const NANOS = 1_000_000_000;
const POWERS_OF_TEN = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];
/** Three digits of a fraction, without trailing zeros. */
const TRIMMED = THREE_DIGITS.map((digits) => digits.replace(/0+$/, ""));

function formatParts(dollars: number, nanos: number): string {
  const low = nanos % 1000;
  const rest = (nanos - low) / 1000;
  const middle = rest % 1000;
  const high = (rest - middle) / 1000;
  if (low > 0) return `${dollars}.${THREE_DIGITS[high]}${THREE_DIGITS[middle]}${TRIMMED[low]}`;
  if (middle > 0) return `${dollars}.${THREE_DIGITS[high]}${TRIMMED[middle]}`;
  const digits = THREE_DIGITS[high] ?? "";
  return `${dollars}.${high % 10 === 0 ? digits.slice(0, 2) : digits}`;
}
