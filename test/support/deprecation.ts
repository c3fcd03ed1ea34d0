import { imfFixdate } from "../../src/contract/http-date.ts";

const DAY_MS = 86_400_000;

/** A sunset that an operator may announce today, whenever that is. */
export const IN_TWO_YEARS = imfFixdate(Math.floor(Date.now() / DAY_MS) * DAY_MS + 730 * DAY_MS);

/** A day so many calendar months from today, at midnight UTC: `Date` moves what a month does not have into the next. */
export function monthsFromToday(months: number, days = 0): number {
  const now = new Date();
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, now.getUTCDate() + days);
}
