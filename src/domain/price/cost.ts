import {
  partCounts,
  type RunUsage,
  TOKEN_CLASS_NAMES,
  TOKEN_PARTS,
  type TokenClass,
  type TokenTotal,
} from "../../contract/token-classes.ts";
import { hasNoUnits, isUnpriced, type UnpricedRun } from "./unpriced.ts";
import {
  FACTOR_OF_ONE,
  factorOf,
  isPricedByUnits,
  type Price,
  rateOf,
  type Rates,
  ratesFor,
  REQUEST_UNIT,
} from "./price.ts";

/** One class of tokens, or one unit, in a usage. */
interface Line {
  readonly name: string;
  readonly quantity: number;
  readonly isUnit: boolean;
  /** Billionths of a nano-dollar, for a million tokens or for one unit. */
  readonly rate: bigint;
  /** In parts of a nano-dollar. */
  readonly parts: bigint;
}

export interface BreakdownEntry {
  readonly name: string;
  readonly quantity: number;
  readonly isUnit: boolean;
  readonly rate: bigint;
  readonly nanos: bigint;
}

const MILLION = 1_000_000n;
const TOKENS_PER_RATE = 1_000_000;
const LARGEST_SMALL = Number.MAX_SAFE_INTEGER / 2;
/** Rates are per million tokens and have factors in billionths, so costs are exact in these parts. */
const PARTS_PER_NANO = MILLION * FACTOR_OF_ONE;

const CACHE_READ = TOKEN_CLASS_NAMES.indexOf("cache_read");

/** The cost in nano-dollars: exact, and rounded up once as a whole. */
export function costOf(price: Price, usage: RunUsage, variant?: string): bigint | UnpricedRun {
  return costWith(price, usage, partCounts(usage), variant);
}

/**
 * Returns what a usage would have cost more at the base rates: without its cache, and without a variant that is cheaper
 * than those, such as a batch. Nothing where the base rates are lower.
 */
export function savingOf(
  price: Price,
  usage: RunUsage,
  { cost, variant }: { readonly cost: bigint; readonly variant: string | undefined },
): bigint {
  const isCheaper = (factorOf(price, variant) ?? FACTOR_OF_ONE) < FACTOR_OF_ONE;
  const parts = partCounts(usage);
  if (!isCheaper && parts[CACHE_READ] === 0) return 0n;
  parts[CACHE_READ] = 0;
  const full = costWith(price, usage, parts, isCheaper ? undefined : variant);
  return isUnpriced(full) || full < cost ? 0n : full - cost;
}

/** `parts` are the tokens of each class, in the order of the classes. */
function costWith(
  price: Price,
  usage: RunUsage,
  parts: readonly number[],
  variant: string | undefined,
): bigint | UnpricedRun {
  const { units } = usage;
  const small =
    variant === undefined && units === undefined && !price.units.has(REQUEST_UNIT)
      ? smallCost(price, usage, parts)
      : null;
  if (small !== null && small > 0) return BigInt(small);
  if (hasNoUnits(units) && isPricedByUnits(price)) return { unpriced: "units", name: "units" };
  if (small !== null) return 0n;
  const lines = linesOf(price, usage, parts, variant);
  return isUnpriced(lines) ? lines : roundedUp(lines);
}

/** Rates as numbers, which are not exact where they are large. */
interface SmallRates {
  readonly input: number;
  readonly output: number;
  /** In the order of the classes. */
  readonly parts: readonly number[];
}

/** Converted once, and not for every run. */
const smallRates = new WeakMap<Rates, SmallRates>();

function smallRatesOf(rates: Rates): SmallRates {
  let small = smallRates.get(rates);
  if (small === undefined) {
    const parts = TOKEN_CLASS_NAMES.map((name) => Number(rateOf(rates, name)));
    small = { input: Number(rates.input), output: Number(rates.output), parts };
    smallRates.set(rates, small);
  }
  return small;
}

/** The cost with numbers, which is enough for most runs of a batch. Null if a number may not be exact. */
function smallCost(price: Price, usage: RunUsage, parts: readonly number[]): number | null {
  const rates = smallRatesOf(ratesFor(price, usage.input_tokens));
  let { input_tokens: input, output_tokens: output } = usage;
  let sum = 0;
  for (let at = 0; at < parts.length; at += 1) {
    const quantity = parts[at] ?? 0;
    if (quantity === 0) continue;
    if (TOKEN_PARTS[at]?.total === "input") input -= quantity;
    else output -= quantity;
    sum += quantity * (rates.parts[at] ?? Number.NaN);
  }
  sum += input * rates.input + output * rates.output;
  // A result that is not exact is larger than this, whatever was lost.
  if (sum > LARGEST_SMALL) return null;
  const rest = sum % TOKENS_PER_RATE;
  return (sum - rest) / TOKENS_PER_RATE + (rest === 0 ? 0 : 1);
}

/** Returns what each class and unit adds to the cost. The sum is the cost: the largest entry includes the rounding. */
export function breakdownOf(price: Price, usage: RunUsage, variant?: string): BreakdownEntry[] | UnpricedRun {
  const lines = linesOf(price, usage, partCounts(usage), variant);
  if (isUnpriced(lines)) return lines;
  let rest = roundedUp(lines);
  for (const { parts } of lines) rest -= parts / PARTS_PER_NANO;
  let largest = 0;
  for (const [index, { parts }] of lines.entries()) {
    if (parts > (lines[largest]?.parts ?? 0n)) largest = index;
  }
  return lines.map(({ name, quantity, isUnit, rate, parts }, index) => {
    const nanos = parts / PARTS_PER_NANO + (index === largest ? rest : 0n);
    return { name, quantity, isUnit, rate, nanos };
  });
}

function roundedUp(lines: readonly Line[]): bigint {
  let parts = 0n;
  for (const line of lines) parts += line.parts;
  return (parts + PARTS_PER_NANO - 1n) / PARTS_PER_NANO;
}

function linesOf(
  price: Price,
  usage: RunUsage,
  parts: readonly number[],
  variant: string | undefined,
): Line[] | UnpricedRun {
  const factor = factorOf(price, variant);
  if (factor === null) return { unpriced: "variant", name: variant ?? "" };
  const rates = ratesFor(price, usage.input_tokens);
  const left = { input: usage.input_tokens, output: usage.output_tokens };
  const lines: Line[] = [];
  const add = (name: TokenClass | TokenTotal, quantity: number) => {
    const rate = rateOf(rates, name) * factor;
    lines.push({ name, quantity, isUnit: false, rate, parts: rate * BigInt(quantity) });
  };
  for (const [at, { name, total }] of TOKEN_PARTS.entries()) {
    const quantity = parts[at] ?? 0;
    if (quantity === 0) continue;
    left[total] -= quantity;
    add(name, quantity);
  }
  if (left.input > 0) add("input", left.input);
  if (left.output > 0) add("output", left.output);
  return addUnits(lines, price, usage);
}

function addUnits(lines: Line[], price: Price, { units = {} }: RunUsage): Line[] | UnpricedRun {
  const counted = Object.entries(units);
  // A run is at least one request. Counts of zero are not stored, so that they mean the same as none.
  if (price.units.has(REQUEST_UNIT) && (units[REQUEST_UNIT] ?? 0) === 0) counted.push([REQUEST_UNIT, 1]);
  for (const [name, quantity] of counted) {
    if (quantity === 0) continue;
    const each = price.units.get(name);
    if (each === undefined) return { unpriced: "unit", name };
    const rate = each * FACTOR_OF_ONE;
    lines.push({ name, quantity, isUnit: true, rate, parts: rate * MILLION * BigInt(quantity) });
  }
  return lines;
}
