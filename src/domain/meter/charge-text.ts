import { isAddedUp, METERS, meterKindOf, type Unit } from "../../contract/meter-kinds.ts";
import type { Account, Meter } from "./meter.ts";

/**
 * Returns what a run was charged to, as it is stored: the limits' ids between spaces, each with what it counts where
 * its id does not say that. A limit may be gone when its charge is read.
 */
export function chargeText(accounts: readonly Account[]): string {
  const charged = accounts.filter(({ meter }) => isAddedUp(meter.kind));
  return charged.map(({ meter }) => chargeName(meter)).join(" ");
}

/** One of them. */
export function chargeName({ id, unit }: Pick<Meter, "id" | "unit">): string {
  return unit === undefined ? id : `${id}:${unit}`;
}

export interface Charge {
  readonly id: string;
  readonly unit: Unit;
}

export function chargesIn(text: string): Charge[] {
  return text === "" ? [] : text.split(" ").map(chargeOf);
}

function chargeOf(name: string): Charge {
  const [id = "", unit] = name.split(":");
  return { id, unit: (unit as Unit | undefined) ?? usualUnit(id) };
}

function usualUnit(id: string): Unit {
  const kind = meterKindOf(id);
  return kind === null ? "usd" : METERS[kind].unit;
}
