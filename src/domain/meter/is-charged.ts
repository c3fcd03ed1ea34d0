import { parseMoment } from "../../contract/list.ts";
import type { parseRunFilter } from "../../contract/run-filters.ts";
import type { RunRecord } from "../run/segment/record.ts";
import { chargesIn } from "./charge-text.ts";

type ChargeFilter = Pick<ReturnType<typeof parseRunFilter>, "limitId" | "chargedFrom">;

/** Returns whether filters that ask what a run was charged to match it. A run that is gone matches none. */
export function isCharged(
  sought: ChargeFilter,
  runOf: () => Pick<RunRecord, "charges" | "chargedAt"> | undefined,
): boolean {
  const { limitId, chargedFrom } = sought;
  if (limitId === null && chargedFrom === null) return true;
  const run = runOf();
  if (run === undefined) return false;
  if (chargedFrom !== null && run.chargedAt < (parseMoment(chargedFrom) ?? Infinity)) return false;
  return limitId === null || isChargedTo(run.charges, limitId);
}

export function isChargedTo(charges: string, limitId: string): boolean {
  return charges.includes(limitId) && chargesIn(charges).some(({ id }) => id === limitId);
}
