import type { NewPrice, PriceShown } from "../../contract/resources/prices/prices.ts";
import { TOKEN_CLASS_NAMES } from "../../contract/token-classes.ts";
import { formatUsd, parseUsd } from "./money.ts";
import type { Price, Rates } from "./price.ts";

/** The terms of a price in canonical form: equal terms are written the same. */
export function termsOf(given: NewPrice): PriceShown {
  const { input_usd_per_mtok: input, output_usd_per_mtok: output } = given;
  return {
    provider: given.provider ?? null,
    ...ratesShown({ ...given, input, output }),
    units: sorted(given.units, amount),
    tiers: (given.tiers ?? []).map((tier) => ({
      above_input_tokens: tier.above_input_tokens,
      ...ratesShown({
        ...tier,
        input: tier.input_usd_per_mtok ?? input,
        output: tier.output_usd_per_mtok ?? output,
      }),
    })),
    variants: sorted(given.variants, factor),
    context_window: given.context_window ?? null,
    max_output_tokens: given.max_output_tokens ?? null,
  };
}

type Tier = PriceShown["tiers"][number];
type RatesShown = Omit<Tier, "above_input_tokens">;
type ClassRates = Partial<
  Record<Exclude<keyof RatesShown, "input_usd_per_mtok" | "output_usd_per_mtok">, string | undefined>
>;

function ratesShown(given: ClassRates & { input: string; output: string }): RatesShown {
  const classes = TOKEN_CLASS_NAMES.map((name) => {
    const rate = given[`${name}_usd_per_mtok`];
    return [`${name}_usd_per_mtok`, rate === undefined ? null : amount(rate)] as const;
  });
  return {
    input_usd_per_mtok: amount(given.input),
    output_usd_per_mtok: amount(given.output),
    ...(Object.fromEntries(classes) as Omit<RatesShown, "input_usd_per_mtok" | "output_usd_per_mtok">),
  };
}

/** A price's terms, as rules use them. */
export function priceOf(terms: PriceShown): Price {
  return {
    rates: ratesOf(terms),
    tiers: terms.tiers.map((tier) => ({ aboveInputTokens: tier.above_input_tokens, rates: ratesOf(tier) })),
    units: mapOf(terms.units),
    variants: mapOf(terms.variants),
  };
}

function ratesOf(shown: RatesShown): Rates {
  const rates: { -readonly [Name in keyof Rates]: Rates[Name] } = {
    input: nanosOf(shown.input_usd_per_mtok),
    output: nanosOf(shown.output_usd_per_mtok),
  };
  for (const name of TOKEN_CLASS_NAMES) {
    const rate = shown[`${name}_usd_per_mtok`];
    if (rate !== null) rates[name] = nanosOf(rate);
  }
  return rates;
}

/**
 * Names come from outside, so this is a map and not an object. Factors are in billionths, as dollars are in
 * nano-dollars.
 */
function mapOf(entries: Readonly<Record<string, string>>): ReadonlyMap<string, bigint> {
  return new Map(Object.entries(entries).map(([name, text]) => [name, nanosOf(text)]));
}

function sorted(
  entries: Readonly<Record<string, string>> | undefined,
  write: (text: string) => string,
): Record<string, string> {
  const names = Object.entries(entries ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(names.map(([name, text]) => [name, write(text)]));
}

const amount = (text: string) => formatUsd(nanosOf(text));
const factor = (text: string) => amount(text).replace(/\.?0+$/, "");

/** A rate that cannot be parsed must never count as none. */
function nanosOf(text: string): bigint {
  const nanos = parseUsd(text);
  if (nanos === null) throw new Error(`'${text}' is not an amount`);
  return nanos;
}
