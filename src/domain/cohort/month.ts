/** A calendar month in UTC, `YYYY-MM`, which sorts by time. */
export type Month = string;

export function monthOf(timeMs: number): Month {
  return new Date(timeMs).toISOString().slice(0, 7);
}

export function nextMonth(month: Month): Month {
  return monthOf(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 1));
}

export function previousMonth(month: Month): Month {
  return monthOf(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)) - 2, 1));
}

export function startOf(month: Month): number {
  return Date.parse(`${month}-01T00:00:00Z`);
}

/** A change of members or contributors counts from the next calendar month. */
export function countsFrom(current: Month): Month {
  return nextMonth(current);
}
