import type { UsageTop } from "../../../../contract/resources/usage/usage-top.ts";
import type { DayAmount } from "../../view/charts.tsx";
import { everyDay, type Range } from "../../view/range.ts";
import { whyUnread } from "../../view/unread.tsx";
import type { Answer, Visit } from "../../visit.ts";

const SHOWN_MODELS = 5;
const OTHER = "Other";

export function readTop(visit: Visit, range: Range, by: string, limit: number): Promise<Answer<UsageTop>> {
  const { from, to, previous } = range;
  const asked = {
    by,
    from,
    to,
    previous_from: previous.from,
    previous_to: previous.to,
    limit: String(limit),
  };
  return visit.api.get<UsageTop>(`${visit.org}/usage/top?${new URLSearchParams(asked)}`);
}

export interface Spending {
  readonly days: readonly DayAmount[];
  readonly models: readonly string[];
  readonly totals: UsageTop["totals"];
}

/** What was spent on each day, divided into the most expensive models and all others, or why that cannot be read. */
export async function readSpending(visit: Visit, range: Range): Promise<Spending | string> {
  const answer = await readTop(visit, range, "model", SHOWN_MODELS);
  const { body } = answer;
  if (body === null) return whyUnread(answer);
  const models = body.data.flatMap(({ name }) => name ?? []);
  const names = body.groups > models.length ? [...models, OTHER] : models;
  const known = new Map(body.days.map((day) => [day.date, day]));
  const days = everyDay(range).map((date): DayAmount => {
    const { cost_usd: usd = "0.00", parts = [] } = known.get(date) ?? {};
    const spent = new Map(parts.map(({ name, cost_usd }) => [name, cost_usd]));
    const rest = parts.reduce((left, { cost_usd }) => left - Number(cost_usd), Number(usd));
    const amountOf = (name: string) =>
      name === OTHER ? Math.max(0, rest).toFixed(6) : (spent.get(name) ?? "0.00");
    return { date, amount: usd, parts: names.map((name) => ({ name, amount: amountOf(name) })) };
  });
  return { days, models: names, totals: body.totals };
}
