import {
  TOKEN_CLASSES,
  type TokenClass,
  type TokenTotal,
  STANDARD_VARIANT,
} from "../../contract/token-classes.ts";

/** Nano-dollars for a million tokens. A class without a rate is priced like its total, never at zero. */
export type Rates = Readonly<Record<TokenTotal, bigint>> & {
  readonly [Class in TokenClass]?: bigint | undefined;
};

export interface PriceTier {
  readonly aboveInputTokens: number;
  readonly rates: Rates;
}

/** The price of a model. */
export interface Price {
  readonly rates: Rates;
  /** Lowest first. The whole request is priced by the highest tier that its input exceeds. */
  readonly tiers: readonly PriceTier[];
  /** Nano-dollars for one of each unit. */
  readonly units: ReadonlyMap<string, bigint>;
  /** Factors of the token rates, in billionths. */
  readonly variants: ReadonlyMap<string, bigint>;
}

export const FACTOR_OF_ONE = 1_000_000_000n;

export function rateOf(rates: Rates, name: TokenClass | TokenTotal): bigint {
  if (name === "input" || name === "output") return rates[name];
  return rates[name] ?? rates[TOKEN_CLASSES[name]];
}

export function ratesFor(price: Price, inputTokens: number): Rates {
  let { rates } = price;
  for (const tier of price.tiers) {
    if (inputTokens <= tier.aboveInputTokens) break;
    ({ rates } = tier);
  }
  return rates;
}

/** A unit that every run has one of, unless it states how many. */
export const REQUEST_UNIT = "request";

/** Returns whether tokens cost nothing and units do: a run that states no unit would be free by omission. */
export function isPricedByUnits({ rates, tiers, units }: Price): boolean {
  return (
    units.size > 0 && !units.has(REQUEST_UNIT) && [rates, ...tiers.map((tier) => tier.rates)].every(isFree)
  );
}

function isFree(rates: Rates): boolean {
  return Object.values(rates).every((rate) => rate === undefined || rate === 0n);
}

/** Null if the price has no such variant. */
export function factorOf(price: Pick<Price, "variants">, variant: string | undefined): bigint | null {
  if (variant === undefined || variant === STANDARD_VARIANT) return FACTOR_OF_ONE;
  return price.variants.get(variant) ?? null;
}
