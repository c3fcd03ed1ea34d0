import { DAY_MS } from "../../../../contract/durations.ts";
import type { CapacityForecasts } from "../../../../contract/resources/forecasts.ts";
import type { UsageReport } from "../../../../contract/resources/usage/usage-report.ts";
import { SpendChart } from "../../view/charts.tsx";
import { count } from "../../view/format.ts";
import { runsAt } from "../../view/links.ts";
import { Usd } from "../../view/money.tsx";
import { Card } from "../../view/parts.tsx";
import { dateOf, daysIn, everyDay, type Range } from "../../view/range.ts";
import { isUnread, Unread, UnreadFigure } from "../../view/unread.tsx";
import type { Answer, Visit } from "../../visit.ts";

const FORECAST_DAYS = 14;

export interface CustomerTrend {
  readonly report: Answer<UsageReport>;
  /** Null: the range does not end today, so that none begins where it ends. */
  readonly forecast: Answer<CapacityForecasts> | null;
}

/** The spend of a customer on each day of a range, and what it is likely to spend next. */
export async function readTrend(visit: Visit, id: string, range: Range): Promise<CustomerTrend> {
  const { from, to } = range;
  const days = new URLSearchParams({ customer_id: id, group_by: "day", from, to });
  const scope = { scope_kind: "customer", scope_id: id, scenario: "baseline" };
  const ahead = new URLSearchParams({ ...scope, horizon_days: String(FORECAST_DAYS), budgets: "own" });
  const endsToday = to === dateOf(visit.nowMs + DAY_MS) && range.days > 1;
  const [report, forecast] = await Promise.all([
    visit.api.get<UsageReport>(`${visit.org}/usage/report?${days}`),
    endsToday ? visit.api.get<CapacityForecasts>(`/v1/capacity/forecasts?${ahead}`) : null,
  ]);
  return { report, forecast };
}

export function TrendCard(props: {
  readonly id: string;
  readonly range: Range;
  readonly trend: CustomerTrend;
}) {
  const { id, range, trend } = props;
  const { report, forecast } = trend;
  if (report.body === null) {
    return (
      <Card title="Trend" bare>
        <Unread of={report} />
      </Card>
    );
  }
  const spent = new Map(report.body.data.map((row) => [String(row["day"]), row.cost_usd]));
  const days = everyDay(range).map((date) => ({ date, amount: spent.get(date) ?? "0.00" }));
  const points = forecast?.body?.data[0]?.points ?? [];
  const { totals } = report.body;
  const note = (
    <>
      {daysIn(range)}:{" "}
      <a href={runsAt({ customer_id: id }, range)}>
        <Usd of={totals.cost_usd} />
      </a>{" "}
      in {count(totals.runs)} {totals.runs === 1 ? "run" : "runs"}
    </>
  );
  return (
    <Card title="Trend" note={note}>
      <SpendChart
        days={days}
        forecast={points.map(({ date, p10, p50, p90 }) => ({
          date,
          p10: Number(p10),
          p50: Number(p50),
          p90: Number(p90),
        }))}
        hrefOf={(date) => runsAt({ customer_id: id }, { from: date, to: dateOf(Date.parse(date) + DAY_MS) })}
      />
      <p class="quiet">
        {forecast !== null && isUnread(forecast) ? (
          <UnreadFigure of={forecast} />
        ) : points.length > 0 ? (
          <>
            Forecast of the next {FORECAST_DAYS} days:{" "}
            <Usd of={points.reduce((sum, { p50 }) => sum + Number(p50), 0).toFixed(2)} />.
          </>
        ) : (
          "There is no forecast of these days: it needs two weeks of runs, and a range that ends today."
        )}
      </p>
    </Card>
  );
}
