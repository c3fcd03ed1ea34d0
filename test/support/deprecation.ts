import { imfFixdate } from "../../src/contract/http-date.ts";

const DAY_MS = 86_400_000;

/** A sunset that an operator can announce today. */
export const IN_TWO_YEARS = imfFixdate(Math.floor(Date.now() / DAY_MS) * DAY_MS + 730 * DAY_MS);

/** A day this many calendar months from today, at midnight UTC. `Date` moves missing days into the next month. */
export function monthsFromToday(months: number, days = 0): number {
  const now = new Date();
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, now.getUTCDate() + days);
}
