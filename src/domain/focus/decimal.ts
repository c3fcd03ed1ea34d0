/** Amounts of a FOCUS row are exact: an integer number of units of 10^-scale. */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

export const NANO_SCALE = 9;
/** The scale of rates, in dollars. */
export const RATE_SCALE = 18;
const TOKENS_PER_RATE_SCALE = 6;

export function formatDecimal({ units, scale }: Decimal): string {
  if (units < 0n) return `-${formatDecimal({ units: -units, scale })}`;
  const digits = String(units).padStart(scale + 1, "0");
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, "");
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

/** A decimal text, as amounts and rates are written. */
export function parseDecimal(text: string, scale: number): bigint {
  const [whole = "", fraction = ""] = text.split(".");
  if (fraction.length > scale) throw new Error(`${text} has more than ${scale} decimal places`);
  return BigInt(whole + fraction.padEnd(scale, "0"));
}

/** In millions. */
export function millionsOf(tokens: bigint): Decimal {
  return { units: tokens, scale: TOKENS_PER_RATE_SCALE };
}

export function productOf(one: Decimal, other: Decimal): Decimal {
  return { units: one.units * other.units, scale: one.scale + other.scale };
}
