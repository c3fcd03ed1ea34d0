import { nextMonth, type Month } from "./month.ts";

/** Months in which a fact holds, `[from, until)`; an open end is null. */
export type Tenure = { readonly from: Month; readonly until: Month | null };

/** A change counts from the next calendar month. */
export function countsFrom(current: Month): Month {
  return nextMonth(current);
}

/**
 * A cohort that was never read has given no answer that a change could be subtracted from: its first read takes what
 * holds at that moment. Every later read takes what the month began with.
 */
export function counts(tenures: readonly Tenure[], month: Month, neverRead: boolean): boolean {
  return tenures.some(({ from, until }) =>
    neverRead ? until === null : from <= month && (until === null || month < until),
  );
}

/** Tenures after a fact begins to hold from a month on. Beginning what already holds changes nothing. */
export function begun(tenures: readonly Tenure[], from: Month): Tenure[] {
  if (tenures.some((tenure) => tenure.until === null)) return [...tenures];
  return [...tenures.filter((tenure) => tenure.from < (tenure.until ?? "")), { from, until: null }];
}

/** Tenures after a fact ceases to hold from a month on. */
export function ended(tenures: readonly Tenure[], until: Month): Tenure[] {
  return tenures
    .map((tenure) => (tenure.until === null ? { from: tenure.from, until } : tenure))
    .filter((tenure) => tenure.until === null || tenure.from < tenure.until);
}
