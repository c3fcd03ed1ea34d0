import { DAY_MS } from "../../../../contract/durations.ts";
import type { CapacityForecasts } from "../../../../contract/resources/forecasts.ts";
import type { LimitsInUse } from "../../../../contract/resources/limits.ts";
import type { Quota } from "../../../../contract/resources/quota.ts";
import type { SpendCap } from "../../../../contract/resources/spend-cap.ts";
import { readNames } from "../../names.ts";
import { type ForecastPoint, SpendChart } from "../../view/charts.tsx";
import { count, day } from "../../view/format.ts";
import { runsAt } from "../../view/links.ts";
import { Usd } from "../../view/money.tsx";
import { Card, Head, Tile, Tiles } from "../../view/parts.tsx";
import { dateOf, daysIn, type Range, rangeOf } from "../../view/range.ts";
import { RangePicker } from "../../view/range-picker.tsx";
import { type Ask, type ListOf, reaches, show, type Shown, type Visit } from "../../visit.ts";
import { FirstSteps } from "./first-steps.tsx";
import { readRefusedToday, RefusedTodayCard } from "./refused-today.tsx";
import { readRunsOut, RunsOutCard } from "./runs-out.tsx";
import { readSpending, type Spending } from "./spending.ts";
import { readWhoSpends, TABS, WhoSpendsCard } from "./who-spends.tsx";

const FORECAST_DAYS = 14;

/** Who spends, what runs out next, and what was refused today. */
export async function overview(visit: Visit, ask: Ask): Promise<Shown> {
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
  const totals = chart.spending?.totals;
  const isNew = totals?.runs === 0 && totals.previous_runs === 0;
  const content = (
    <>
      <Head title="Overview" about={`${daysIn(range)} (UTC), beside ${daysIn(range.previous)}`}>
        <RangePicker range={range} path="/console" keep={{ by: who.tab, tag: who.tag }} />
      </Head>
      <Figures spending={chart.spending} figures={figures} out={out} range={range} today={today} />
      {isNew && <FirstSteps limits={out?.count ?? 0} keys={await countKeys(visit)} />}
      <div class="blocks">
        <WhoSpendsCard of={who} range={range} nameOf={nameOf} at={at} />
        <RunsOutCard of={out} mayCreate={reaches(visit, "admin")} nowMs={visit.nowMs} />
        <RefusedTodayCard of={refused} nameOf={nameOf} />
      </div>
      {chart.spending !== null && (
        <Card title="Spend by day" note={chart.forecast.length > 0 ? "With a forecast for 14 days" : null}>
          <SpendChart
            days={chart.spending.days}
            parts={chart.spending.models}
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

function addressOf(ask: Ask, range: Range, changes: Record<string, string>): string {
  const { name, from, to } = range;
  const by = TABS.find(([tab]) => tab === ask.query.get("by"))?.[0];
  const kept = {
    range: name,
    ...(name === "custom" ? { from, to } : {}),
    ...(by === undefined ? {} : { by }),
  };
  return `/console?${new URLSearchParams({ ...kept, ...changes })}`;
}

interface Read {
  readonly cap: SpendCap | null;
  /** Null if the org is not prepaid. */
  readonly quota: Quota | null;
}

async function readFigures({ api, org }: Visit): Promise<Read> {
  const [cap, quota] = await Promise.all([
    api.get<SpendCap>(`${org}/spend-cap`),
    api.get<Quota>(`${org}/quota`),
  ]);
  return { cap: cap.body, quota: quota.body };
}

/** Only ranges that end today have a forecast: it begins where they end. */
async function readChart(
  visit: Visit,
  range: Range,
): Promise<{ spending: Spending | null; forecast: ForecastPoint[] }> {
  const endsToday = range.to === dateOf(visit.nowMs + DAY_MS) && range.days > 1;
  const path = `/v1/capacity/forecasts?horizon_days=${FORECAST_DAYS}&scenario=baseline&budgets=own`;
  const [spending, forecast] = await Promise.all([
    readSpending(visit, range),
    endsToday ? visit.api.get<CapacityForecasts>(path) : null,
  ]);
  const points = forecast?.body?.data[0]?.points ?? [];
  return {
    spending,
    forecast: points.map(({ date, p10, p50, p90 }) => ({
      date,
      p10: Number(p10),
      p50: Number(p50),
      p90: Number(p90),
    })),
  };
}

function Figures(props: {
  readonly spending: Spending | null;
  readonly figures: Read;
  readonly out: LimitsInUse | null;
  readonly range: Range;
  readonly today: Pick<Range, "from" | "to">;
}) {
  const { figures, out, range, today } = props;
  const { cap, quota } = figures;
  const totals = props.spending?.totals;
  return (
    <Tiles>
      <Tile
        label="Spent"
        value={
          <a href={runsAt({}, range)}>
            <Usd of={totals?.cost_usd} />
          </a>
        }
      >
        before:{" "}
        <a href={runsAt({}, range.previous)}>
          <Usd of={totals?.previous_cost_usd} />
        </a>
      </Tile>
      <Tile label="Runs" value={<a href={runsAt({}, range)}>{count(totals?.runs)}</a>}>
        before: <a href={runsAt({}, range.previous)}>{count(totals?.previous_runs)}</a>
      </Tile>
      {cap && (
        <Tile
          label="Spent of today’s cap"
          value={
            <a href={runsAt({}, today)}>
              <Usd of={cap.spent_usd} />
            </a>
          }
        >
          of{" "}
          <a href="/console/limits">
            <Usd of={cap.cap_usd} />
          </a>
          , resets {day(cap.resets_at)}
        </Tile>
      )}
      <Tile
        label="Reserved now"
        value={
          <a href="/console/budgets">
            <Usd of={out?.reserved_usd} />
          </a>
        }
      >
        for runs in progress
      </Tile>
      {quota && (
        <Tile
          label="Prepaid balance"
          value={
            <a href="/console/limits">
              <Usd of={quota.available_usd} />
            </a>
          }
        >
          {Number(quota.overdrawn_usd) > 0 ? (
            <>
              overdrawn by <Usd of={quota.overdrawn_usd} />
            </>
          ) : (
            <>
              <Usd of={quota.reserved_usd} /> more is reserved
            </>
          )}
        </Tile>
      )}
    </Tiles>
  );
}
