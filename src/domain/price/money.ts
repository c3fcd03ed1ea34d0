import { USD_MOST_DIGITS } from "../../contract/bounds.ts";

/** Money is an integer number of nano-dollars, so that sums are never rounded. */
const NANOS_PER_USD = 1_000_000_000n;

/**
 * The largest amount: a nano-dollar under a billion dollars. Counters are added up in bigint, but each stored amount
 * must fit SQLite's 64-bit integer (about $9.2 billion) with room to spare.
 */
export const MAX_USD_NANOS = 1_000_000_000n * NANOS_PER_USD - 1n;

const NOT_USD = -1;
const POINT = 46;

/** Returns whether a text is an amount that this API accepts. */
export function isUsd(text: string): boolean {
  return readUsd(text) !== NOT_USD;
}

/** Nano-dollars of a decimal string, or null if the text is not a valid amount. */
export function parseUsd(text: string): bigint | null {
  const nanos = readUsd(text);
  if (nanos === NOT_USD) return null;
  if (Number.isSafeInteger(nanos)) return BigInt(nanos);
  const [dollars = "", fraction = ""] = text.split(".");
  return BigInt(dollars + fraction.padEnd(USD_MOST_DIGITS, "0"));
}

/** An amount as a number, if it can be exact (up to about nine million dollars). Otherwise null. */
export function parseSmallUsd(text: string): number | null {
  const nanos = readUsd(text);
  return nanos !== NOT_USD && Number.isSafeInteger(nanos) ? nanos : null;
}

/**
 * The nano-dollars of digits, with a fraction or without one. Exact if it is a safe integer. A loop, because it reads every
 * amount of a batch, several times faster than a pattern.
 */
function readUsd(text: string): number {
  let dollars = 0;
  let digits = 0;
  let at = 0;
  for (; at < text.length; at += 1) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) break;
    if (digits > 0 || digit > 0) digits += 1;
    dollars = dollars * 10 + digit;
  }
  if (at === 0 || digits > USD_MOST_DIGITS) return NOT_USD;
  if (at === text.length) return dollars * NANOS;
  const fraction = text.charCodeAt(at) === POINT ? readFraction(text, at + 1) : NOT_USD;
  return fraction === NOT_USD ? NOT_USD : dollars * NANOS + fraction;
}

function readFraction(text: string, from: number): number {
  const decimals = text.length - from;
  if (decimals < 1 || decimals > USD_MOST_DIGITS) return NOT_USD;
  let value = 0;
  for (let at = from; at < text.length; at += 1) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return NOT_USD;
    value = value * 10 + digit;
  }
  return value * (POWERS_OF_TEN[USD_MOST_DIGITS - decimals] ?? Number.NaN);
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
/** Every three-digit number as zero-padded text: a lookup table for the hot path. */
const THREE_DIGITS = Array.from({ length: 1000 }, (_, value) => String(value).padStart(3, "0"));
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
