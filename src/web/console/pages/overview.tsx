import { DAY_MS } from "../../../contract/durations.ts";
import { type DayAmount, type ForecastPoint, Ranking, SpendChart } from "../view/charts.tsx";
import type { CapacityForecasts } from "../../../contract/resources/forecasts.ts";
import type { Usage } from "../../../contract/resources/usage.ts";
import { count, ends, moment, usd } from "../view/format.ts";
import { Card, Empty, Head, Tile, Tiles, UsedOf } from "../view/parts.tsx";
import { type Column, Table } from "../view/table.tsx";
import { type ListOf, show, type Shown, type Visit } from "../visit.ts";
import { type AtAGlance, type Limits, readLimits } from "./limits-at-a-glance.ts";

const SHOWN_DAYS = 30;

function date(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** What is spent against every cap, budget and quota, at a glance. */
export async function overview(visit: Visit): Promise<Shown> {
  const { api, org, nowMs } = visit;
  const from = date(nowMs - (SHOWN_DAYS - 1) * DAY_MS);
  const [usage, forecast, limits, keys] = await Promise.all([
    api.get<Usage>(`${org}/usage?from=${from}&to=${date(nowMs + DAY_MS)}`),
    api.get<CapacityForecasts>(`/v1/capacity/forecasts?metric=usd&horizon_days=14&scenario=baseline`),
    readLimits(visit),
    api.get<ListOf<unknown>>(`${org}/keys?limit=2`),
  ]);
  const days = everyDay(usage.body, nowMs);
  const points = (forecast.body?.data[0]?.points ?? []).map(({ date: on, p10, p50, p90 }): ForecastPoint => ({
    date: on,
    p10: Number(p10),
    p50: Number(p50),
    p90: Number(p90),
  }));
  const isNew = days.every(({ runs }) => runs === 0);
  const content = (
    <>
      <Head
        title="Overview"
        about={`${visit.visitor.orgName}: spent and reserved amounts, and how close each limit is.`}
      />
      <Figures days={days} limits={limits} />
      {isNew && <FirstSteps limits={limits} keys={keys.body?.data.length ?? 0} />}
      <LimitsCard limits={limits.rows} />
      <Card
        title="Spend by day"
        note={`Last ${SHOWN_DAYS} days${points.length > 0 ? ", and a forecast for the next 14" : ""}`}
      >
        <SpendChart days={days} forecast={points} />
      </Card>
      <div class="columns">
        <RankingCard title="By model" of={usage.body?.by_model ?? []} />
        <RankingCard title="By workflow" of={usage.body?.by_workflow ?? []} />
      </div>
    </>
  );
  return show("Overview", "/console", content);
}

interface DayFigures extends DayAmount {
  readonly runs: number;
}

/** Days without runs are included. */
function everyDay(usage: Usage | null, nowMs: number): DayFigures[] {
  const known = new Map(usage?.by_day.map((figures) => [figures.date, figures]));
  return Array.from({ length: SHOWN_DAYS }, (_, index) => {
    const on = date(nowMs - (SHOWN_DAYS - 1 - index) * DAY_MS);
    const figures = known.get(on);
    return { date: on, usd: figures?.cost_usd ?? "0.00", runs: figures?.runs ?? 0 };
  });
}

function Figures({ days, limits }: { days: readonly DayFigures[]; limits: Limits }) {
  const { cap, held, quota } = limits;
  const total = days.reduce((sum, day) => sum + Number(day.usd), 0);
  const runs = days.reduce((sum, day) => sum + day.runs, 0);
  const today = days.at(-1);
  return (
    <Tiles>
      <Tile label="Spent today" value={usd(cap?.spent_usd ?? today?.usd)}>
        {cap ? `of ${usd(cap.cap_usd)}, resets ${moment(cap.resets_at)}` : "No daily cap is set"}
      </Tile>
      <Tile label="Reserved for runs in progress" value={usd(held)}>
        Counts against every limit until the run settles
      </Tile>
      {quota && (
        <Tile label="Prepaid balance" value={usd(quota.available_usd)}>
          {usd(quota.balance_usd)}, {usd(quota.reserved_usd)} reserved
        </Tile>
      )}
      <Tile label={`Spent in ${SHOWN_DAYS} days`} value={usd(total.toFixed(2))}>
        {usd((total / SHOWN_DAYS).toFixed(2))} a day on average
      </Tile>
      <Tile label={`Runs in ${SHOWN_DAYS} days`} value={count(runs)}>
        {runs === 0 ? "None yet" : `${usd((total / runs).toFixed(4))} each on average`}
      </Tile>
    </Tiles>
  );
}

function LimitsCard({ limits }: { limits: readonly AtAGlance[] }) {
  if (limits.length === 0) {
    return (
      <Card title="Limits" bare>
        <Empty
          icon="limits"
          title="No limits yet"
          action={
            <a class="button primary" href="/console/budgets/new">
              Create a budget
            </a>
          }
        >
          A budget is enforced before a run starts, so it cannot be overspent.
        </Empty>
      </Card>
    );
  }
  return (
    <Card title="Limits" note="Closest to the limit first" bare>
      <Table label="Limits" columns={COLUMNS} rows={limits} />
    </Card>
  );
}

const COLUMNS: readonly Column<AtAGlance>[] = [
  {
    title: "Limit",
    cell: ({ href, name, about }) => (
      <>
        <a href={href}>{name}</a>
        <span class="sub">{about}</span>
      </>
    ),
  },
  {
    title: "Used",
    kind: "meter",
    cell: ({ spent, held, limit }) => <UsedOf spent={spent} held={held} limit={limit} />,
  },
  { title: "Spent", kind: "number", cell: (row) => row.shown(row.spent) },
  { title: "Reserved", kind: "number", cell: (row) => row.shown(row.held) },
  { title: "Of", kind: "number", cell: (row) => row.shown(row.limit) },
  { title: "Resets", kind: "moment", cell: (row) => ends(row.resets) },
];

function RankingCard({ title, of }: { title: string; of: Usage["by_model"] }) {
  return (
    <Card title={title} note={`Last ${SHOWN_DAYS} days`}>
      {of.length === 0 ? (
        <p class="quiet">Nothing yet.</p>
      ) : (
        <Ranking of={of.slice(0, 8).map(({ name, cost_usd }) => ({ name, usd: cost_usd }))} />
      )}
    </Card>
  );
}

function FirstSteps({ limits, keys }: { limits: { readonly rows: readonly unknown[] }; keys: number }) {
  const steps = [
    [
      limits.rows.length > 0,
      "/console/budgets/new",
      "Set a budget",
      "A budget refuses a run before it costs anything.",
    ],
    [
      keys > 1,
      "/console/keys/new",
      "Create a key for your proxy",
      "A developer key may ask for decisions and report runs.",
    ],
    [
      false,
      "/docs",
      "Ask before each run",
      "POST /v1/edge/decision answers from the location closest to you.",
    ],
  ] as const;
  return (
    <Card title="First steps">
      <ol class="steps">
        {steps.map(([done, href, title, about]) => (
          <li>
            {done ? <s>{title}</s> : <a href={href}>{title}</a>}{" "}
            <span class="quiet">{done ? "Done." : about}</span>
          </li>
        ))}
      </ol>
    </Card>
  );
}
