import type { Child } from "hono/jsx";
import { DAY_MS } from "../../../../contract/durations.ts";
import type { CapacityForecasts } from "../../../../contract/resources/forecasts.ts";
import { readNames } from "../../names.ts";
import { type ForecastPoint, SpendChart } from "../../view/charts.tsx";
import { runsAt } from "../../view/links.ts";
import { Card, Head } from "../../view/parts.tsx";
import { dateOf, daysIn, type Range, rangeOf } from "../../view/range.ts";
import { RangePicker } from "../../view/range-picker.tsx";
import { type Failed, isUnread, UnreadFigure } from "../../view/unread.tsx";
import { type PageRequest, type ListOf, reaches, show, type Shown, type Visit } from "../../visit.ts";
import { FirstSteps } from "./first-steps.tsx";
import { Figures, readFigures } from "./figures.tsx";
import { readRefusedToday, RefusedTodayCard } from "./refused-today.tsx";
import { readRunsOut, RunsOutCard } from "./runs-out.tsx";
import { readSpending, type Spending } from "./spending.ts";
import { readWhoSpends, TABS, WhoSpendsCard } from "./who-spends.tsx";

const FORECAST_DAYS = 14;

/** Who spends, what runs out next, and what was refused today. */
export async function overview(visit: Visit, ask: PageRequest): Promise<Shown> {
  const range = rangeOf(ask.query, visit.nowMs);
  const [who, out, refused, figures, chart] = await Promise.all([
    readWhoSpends(visit, ask.query, range),
    readRunsOut(visit),
    readRefusedToday(visit, dateOf(visit.nowMs)),
    readFigures(visit),
    readChart(visit, range),
  ]);
  const limits = "problem" in refused ? [] : refused.limits.map(({ group }) => group);
  const keys = who.tab === "key_id" ? who.rows.map(({ id }) => id) : [];
  const nameOf = await readNames(visit, [...limits.slice(0, 5), ...keys]);
  const today = { from: dateOf(visit.nowMs), to: dateOf(visit.nowMs + DAY_MS) };
  const at = (changes: Record<string, string>) => addressOf(ask, range, changes);
  const spending = typeof chart.spending === "string" ? null : chart.spending;
  const totals = spending?.totals;
  const isNew = totals?.runs === 0 && totals.previous_runs === 0;
  const content = (
    <>
      <Head title="Overview" about={`${daysIn(range)} (UTC), compared with ${daysIn(range.previous)}`}>
        <RangePicker range={range} path="/console" keep={{ by: who.tab, tag: who.tag }} />
      </Head>
      <Figures spending={chart.spending} figures={figures} out={out.body} range={range} today={today} />
      {isNew && <FirstSteps limits={out.body?.count ?? 0} keys={await countKeys(visit)} />}
      <div class="blocks">
        <WhoSpendsCard of={who} range={range} nameOf={nameOf} at={at} />
        <RunsOutCard of={out} mayCreate={reaches(visit, "admin")} nowMs={visit.nowMs} />
        <RefusedTodayCard of={refused} nameOf={nameOf} />
      </div>
      {spending !== null && (
        <Card title="Spend by day" note={forecastNote(chart)}>
          <SpendChart
            days={spending.days}
            parts={spending.models}
            forecast={chart.forecast}
            hrefOf={(date) => runsAt({}, { from: date, to: dateOf(Date.parse(date) + DAY_MS) })}
            cap={figures.cap?.cap_usd ?? null}
          />
        </Card>
      )}
    </>
  );
  return show("Overview", "/console", content);
}

async function countKeys(visit: Visit): Promise<number> {
  return (await visit.api.get<ListOf<unknown>>(`${visit.org}/keys?limit=2`)).body?.data.length ?? 0;
}

function addressOf(ask: PageRequest, range: Range, changes: Record<string, string>): string {
  const { name, from, to } = range;
  const by = TABS.find(([tab]) => tab === ask.query.get("by"))?.[0];
  const kept = {
    range: name,
    ...(name === "custom" ? { from, to } : {}),
    ...(by === undefined ? {} : { by }),
  };
  return `/console?${new URLSearchParams({ ...kept, ...changes })}`;
}

function forecastNote({ forecast, unread }: Chart): Child {
  if (unread !== null) return UnreadFigure({ of: unread });
  return forecast.length > 0 ? "With a forecast for 14 days" : null;
}

interface Chart {
  readonly spending: Spending | string;
  readonly forecast: readonly ForecastPoint[];
  /** Why there is no forecast, if it could not be read. */
  readonly unread: Failed | null;
}

/** Only ranges that end today have a forecast: it begins where they end. */
async function readChart(visit: Visit, range: Range): Promise<Chart> {
  const endsToday = range.to === dateOf(visit.nowMs + DAY_MS) && range.days > 1;
  const path = `/v1/capacity/forecasts?horizon_days=${FORECAST_DAYS}&scenario=baseline&budgets=own`;
  const [spending, forecast] = await Promise.all([
    readSpending(visit, range),
    endsToday ? visit.api.get<CapacityForecasts>(path) : null,
  ]);
  const points = forecast?.body?.data[0]?.points ?? [];
  return {
    spending,
    unread: forecast !== null && isUnread(forecast) ? forecast : null,
    forecast: points.map(({ date, p10, p50, p90 }) => ({
      date,
      p10: Number(p10),
      p50: Number(p50),
      p90: Number(p90),
    })),
  };
}
