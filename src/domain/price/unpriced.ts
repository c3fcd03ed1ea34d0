/**
 * What cannot be priced: a variant or a unit that the price does not have, or a usage without units of a model that is
 * priced by them alone. It is refused, never free.
 */
export interface UnpricedRun {
  readonly unpriced: "variant" | "unit" | "units";
  readonly name: string;
}

export function isUnpriced(value: unknown): value is UnpricedRun {
  return typeof value === "object" && value !== null && "unpriced" in value;
}

/** Whether nothing is counted that is priced by the piece. */
export function hasNoUnits(units: Readonly<Record<string, number>> | undefined): boolean {
  for (const _ in units) return false;
  return true;
}
