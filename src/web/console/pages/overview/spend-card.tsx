import { DAY_MS } from "../../../../contract/durations.ts";
import type { CapacityForecasts } from "../../../../contract/resources/forecasts.ts";
import { type ForecastPoint, SpendChart } from "../../view/charts.tsx";
import { UnitTabs } from "../../view/chart-tabs.tsx";
import { dimensionTitle } from "../../view/format.ts";
import { runsAt } from "../../view/links.ts";
import { Card } from "../../view/parts.tsx";
import { dateOf } from "../../view/range.ts";
import { type Failed, isUnread, UnreadFigure } from "../../view/unread.tsx";
import type { Visit } from "../../visit.ts";
import type { DayBreakdown } from "./day-breakdown.ts";
import { daysBefore, type Spending } from "./spending.ts";
import type { View } from "./tabs.ts";

const FORECAST_DAYS = 14;

interface Forecast {
  readonly points: readonly ForecastPoint[];
  /** Why there is no forecast, if it could not be read. */
  readonly unread: Failed | null;
}

/** Only ranges that end today have a forecast: it begins where they end. */
export async function readForecast(visit: Visit, { range, unit }: View): Promise<Forecast> {
  if (range.to !== dateOf(visit.nowMs + DAY_MS) || range.days === 1) {
    return { points: [], unread: null };
  }
  const asked = new URLSearchParams({
    horizon_days: String(FORECAST_DAYS),
    scenario: "baseline",
    budgets: "own",
    metric: unit,
  });
  const answer = await visit.api.get<CapacityForecasts>(`/v1/capacity/forecasts?${asked}`);
  const points = (answer.body?.data[0]?.points ?? []).map(({ date, p10, p50, p90 }) => ({
    date,
    p10: Number(p10),
    p50: Number(p50),
    p90: Number(p90),
  }));
  return { points, unread: isUnread(answer) ? answer : null };
}

/** The days of a page about spending, as a chart. */
export function SpendCard(props: {
  readonly spending: Spending;
  readonly divided: DayBreakdown;
  readonly view: View;
  readonly forecast: Forecast;
  /** The daily cap, in dollars. */
  readonly cap: string | null;
  readonly nameOf: (id: string) => string;
  readonly at: (changes: Record<string, string>) => string;
}) {
  const { spending, divided, view, forecast, nameOf } = props;
  const { unit, range, by, tag } = view;
  const named = by === "tag" ? `tag ${tag}` : dimensionTitle(by).toLowerCase();
  const title = unit === "usd" ? "Spend by day" : `${unit === "runs" ? "Runs" : "Tokens"} by day`;
  const { days, parts, note, unread } = shownBy(divided, by === "key_id" ? nameOf : (name) => name);
  const failed = unread ?? forecast.unread;
  return (
    <Card
      title={title}
      note={
        <>
          {parts.length > 0 ? `By ${named}` : note} {failed !== null && <UnreadFigure of={failed} />}
        </>
      }
      tools={<UnitTabs unit={unit} at={props.at} />}
    >
      <SpendChart
        days={days}
        parts={parts}
        unit={unit}
        before={daysBefore(spending, range, unit)}
        forecast={forecast.points}
        hrefOf={(date) => runsAt({}, { from: date, to: dateOf(Date.parse(date) + DAY_MS) })}
        cap={unit === "usd" ? props.cap : null}
      />
    </Card>
  );
}

/** Names instead of ids. */
function shownBy(of: DayBreakdown, nameOf: (id: string) => string): DayBreakdown {
  return {
    ...of,
    parts: of.parts.map(nameOf),
    days: of.days.map(({ parts = [], ...one }) => ({
      ...one,
      ...(of.parts.length === 0
        ? {}
        : { parts: parts.map(({ name, amount }) => ({ name: nameOf(name), amount })) }),
    })),
  };
}
