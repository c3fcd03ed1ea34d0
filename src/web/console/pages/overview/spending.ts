import { DAY_MS } from "../../../../contract/durations.ts";
import type { UsageReport } from "../../../../contract/resources/usage/usage-report.ts";
import type { TopOrder, UsageTop } from "../../../../contract/resources/usage/usage-top.ts";
import type { DayAmount, Unit } from "../../view/chart-scale.ts";
import { dateOf, everyDay, type Range } from "../../view/range.ts";
import type { Failed } from "../../view/unread.tsx";
import type { Answer, Visit } from "../../visit.ts";

export function readTop(
  visit: Visit,
  range: Range,
  {
    limit,
    ...ask
  }: {
    readonly by: string;
    readonly sort?: TopOrder;
    readonly limit: number;
    readonly contains?: string;
  },
): Promise<Answer<UsageTop>> {
  const { from, to, previous } = range;
  const asked = {
    ...ask,
    from,
    to,
    previous_from: previous.from,
    previous_to: previous.to,
    limit: String(limit),
  };
  return visit.api.get<UsageTop>(`${visit.org}/usage/top?${new URLSearchParams(asked)}`);
}

export function readReport(
  visit: Visit,
  { from, to }: Pick<Range, "from" | "to">,
  asked: Readonly<Record<string, string>>,
): Promise<Answer<UsageReport>> {
  const query = new URLSearchParams({ ...asked, from, to });
  return visit.api.get<UsageReport>(`${visit.org}/usage/report?${query}`);
}

export type Sums = Pick<UsageReport["totals"], "cost_usd" | "runs" | "tokens" | "saved_usd">;

/** The days of a period and of the one before it, whatever they are told apart by. */
export interface Spending {
  readonly totals: Sums;
  readonly previous: Sums;
  readonly days: ReadonlyMap<string, Sums>;
  readonly previousDays: ReadonlyMap<string, Sums>;
}

export const amountOf = (unit: Unit, sums: Sums | undefined): string =>
  sums === undefined ? "0.00" : String(unit === "usd" ? sums.cost_usd : sums[unit]);

const byDay = ({ data }: UsageReport) => new Map(data.map((row) => [String(row["day"]), row]));

/** Reads the spend on each day, or returns the read that failed. A period has at most 90 days. */
export async function readSpending(visit: Visit, range: Range): Promise<Spending | Failed> {
  const [now, before] = await Promise.all([
    readReport(visit, range, { group_by: "day" }),
    readReport(visit, range.previous, { group_by: "day" }),
  ]);
  if (now.body === null || before.body === null) return now.body === null ? now : before;
  return {
    totals: now.body.totals,
    previous: before.body.totals,
    days: byDay(now.body),
    previousDays: byDay(before.body),
  };
}

export const isSpending = (of: Spending | Failed): of is Spending => "days" in of;

/** Each day of the period before, beside the day that it is compared with. Empty if it had no runs. */
export function daysBefore({ previous, previousDays }: Spending, range: Range, unit: Unit): DayAmount[] {
  if (previous.runs === 0) return [];
  const { from, to } = range.previous;
  const days = Math.min(range.days, Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS));
  return Array.from({ length: days }, (_, index) => {
    const date = dateOf(Date.parse(from) + index * DAY_MS);
    return { date, amount: amountOf(unit, previousDays.get(date)) };
  });
}

/** Days without parts, also those without runs. */
export function wholeDays({ days }: Spending, range: Range, unit: Unit): DayAmount[] {
  return everyDay(range).map((date) => ({ date, amount: amountOf(unit, days.get(date)) }));
}
