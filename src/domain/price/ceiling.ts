import { TOKEN_CLASSES, TOKEN_CLASS_NAMES, type TokenTotal } from "../../contract/token-classes.ts";
import { hasNoUnits, isUnpriced, type UnpricedRun } from "./unpriced.ts";
import { FACTOR_OF_ONE, factorOf, isPricedByUnits, type Price, type Rates, REQUEST_UNIT } from "./price.ts";

/** The most that requests of a model may cost: all that an isolate needs to reserve for one. */
export interface Ceiling {
  /** By the input that a request must exceed, lowest first: the highest rates that can apply above it. */
  readonly steps: readonly CeilingStep[];
  /** Lists, not maps: they also travel as JSON. */
  readonly variants: readonly { readonly name: string; readonly factor: bigint }[];
  /** The factor for a request without a variant. */
  readonly highestFactor: bigint;
  /** The cost of one of each unit, in nano-dollars. */
  readonly units: readonly { readonly name: string; readonly nanos: bigint }[];
  /** True if the model is priced by units alone: its tokens say nothing about what a request may cost. */
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
    units: Array.from(price.units, ([name, nanos]) => ({ name, nanos })),
    isByUnits: isPricedByUnits(price),
  };
}

/** The most that a request may use. */
export interface UsageBound {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly units: Readonly<Record<string, number>> | undefined;
}

/** The maximum cost of any usage within these bounds, in nano-dollars. */
export function reservationOf(
  ceiling: Ceiling,
  { inputTokens, outputTokens, units }: UsageBound,
  variant: string | undefined,
): bigint | UnpricedRun {
  if (ceiling.isByUnits && hasNoUnits(units)) return { unpriced: "units", name: "units" };
  const factor = variant === undefined ? ceiling.highestFactor : namedFactor(ceiling, variant);
  if (factor === null) return { unpriced: "variant", name: variant ?? "" };
  const counted = costOfUnits(ceiling, units);
  if (isUnpriced(counted)) return counted;
  let input = 0n;
  let output = 0n;
  for (const step of ceiling.steps) if (inputTokens > step.aboveInputTokens) ({ input, output } = step);
  const parts = (BigInt(inputTokens) * input + BigInt(outputTokens) * output) * factor;
  return (parts + PARTS_PER_NANO - 1n) / PARTS_PER_NANO + counted;
}

/** As a run is charged for them: a request is at least one, and what is not counted needs no price. */
function costOfUnits({ units: prices }: Ceiling, units: UsageBound["units"]): bigint | UnpricedRun {
  let nanos = 0n;
  for (const name in units) {
    const count = units[name] ?? 0;
    if (count === 0) continue;
    const price = prices.find((one) => one.name === name);
    if (price === undefined) return { unpriced: "unit", name };
    nanos += price.nanos * BigInt(count);
  }
  if ((units?.[REQUEST_UNIT] ?? 0) > 0) return nanos;
  return nanos + (prices.find(({ name }) => name === REQUEST_UNIT)?.nanos ?? 0n);
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
