/**
 * A usage that cannot be priced: its variant or unit is not in the price, or it has no units although the model is
 * priced by them alone. It is refused, never free.
 */
export interface UnpricedRun {
  readonly unpriced: "variant" | "unit" | "units";
  readonly name: string;
}

export function isUnpriced(value: unknown): value is UnpricedRun {
  return typeof value === "object" && value !== null && "unpriced" in value;
}

/** Returns whether nothing is counted that is priced by the piece. */
export function hasNoUnits(units: Readonly<Record<string, number>> | undefined): boolean {
  for (const _ in units) return false;
  return true;
}
