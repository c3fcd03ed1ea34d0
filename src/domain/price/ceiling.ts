import { TOKEN_CLASSES, TOKEN_CLASS_NAMES, type TokenTotal } from "../../contract/token-classes.ts";
import { FACTOR_OF_ONE, factorOf, isPricedByUnits, type Price, type Rates, REQUEST_UNIT } from "./price.ts";

/** The most that requests of a model may cost: all that an isolate needs to reserve for one. */
export interface Ceiling {
  /** By the input that a request must exceed, lowest first: the highest rates that can apply above it. */
  readonly steps: readonly CeilingStep[];
  /** A list, not a map: it also travels as JSON. */
  readonly variants: readonly { readonly name: string; readonly factor: bigint }[];
  /** The factor for a request without a variant. */
  readonly highestFactor: bigint;
  /** What each request costs beside its tokens, in nano-dollars. */
  readonly perRequest: bigint;
  /** Whether the model is priced by units alone: its tokens say nothing about what a request may cost. */
  readonly isByUnits: boolean;
}

interface CeilingStep {
  readonly aboveInputTokens: number;
  readonly input: bigint;
  readonly output: bigint;
}

const PARTS_PER_NANO = 1_000_000n * FACTOR_OF_ONE;

export function ceilingOf(price: Price): Ceiling {
  const steps: CeilingStep[] = [];
  let input = 0n;
  let output = 0n;
  // A request may use less input than estimated and stay in a lower tier, so no step is below the previous one.
  for (const { aboveInputTokens, rates } of [{ aboveInputTokens: -1, rates: price.rates }, ...price.tiers]) {
    input = higher(input, highestRate(rates, "input"));
    output = higher(output, highestRate(rates, "output"));
    steps.push({ aboveInputTokens, input, output });
  }
  const highestFactor = [...price.variants.values()].reduce(higher, FACTOR_OF_ONE);
  return {
    steps,
    variants: Array.from(price.variants, ([name, factor]) => ({ name, factor })),
    highestFactor,
    perRequest: price.units.get(REQUEST_UNIT) ?? 0n,
    isByUnits: isPricedByUnits(price),
  };
}

/**
 * The maximum cost of any usage within these tokens, in nano-dollars, without units that a request may use beside them.
 * Null if the price has no such variant.
 */
export function reservationOf(
  ceiling: Ceiling,
  inputTokens: number,
  outputTokens: number,
  variant: string | undefined,
): bigint | null {
  const factor = variant === undefined ? ceiling.highestFactor : namedFactor(ceiling, variant);
  if (factor === null) return null;
  let reached = ceiling.steps[0];
  for (const step of ceiling.steps) if (inputTokens > step.aboveInputTokens) reached = step;
  if (reached === undefined) return null;
  const parts = (BigInt(inputTokens) * reached.input + BigInt(outputTokens) * reached.output) * factor;
  return (parts + PARTS_PER_NANO - 1n) / PARTS_PER_NANO + ceiling.perRequest;
}

function namedFactor({ variants }: Ceiling, variant: string): bigint | null {
  return factorOf({ variants: new Map(variants.map(({ name, factor }) => [name, factor])) }, variant);
}

function highestRate(rates: Rates, total: TokenTotal): bigint {
  let highest = rates[total];
  for (const name of TOKEN_CLASS_NAMES) {
    if (TOKEN_CLASSES[name] === total) highest = higher(highest, rates[name] ?? 0n);
  }
  return highest;
}

function higher(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
