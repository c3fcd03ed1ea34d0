import { Bar, HEIGHT, SLOT } from "./chart-bar.tsx";
import {
  axis,
  type DayAmount,
  type ForecastPoint,
  roundUp,
  type Unit,
  formatChartAmount,
} from "./chart-scale.ts";
import { ChartTable } from "./chart-table.tsx";
import { day, percent, toWords } from "./format.ts";

export type { DayAmount, ForecastPoint } from "./chart-scale.ts";

interface ChartProps {
  readonly days: readonly DayAmount[];
  readonly forecast: readonly ForecastPoint[];
  /** The names of the parts, as in the legend. */
  readonly parts?: readonly string[];
  /** The unit of the amounts. Dollars unless it is said. */
  readonly unit?: Unit;
  /** The page of the runs of a day. */
  readonly hrefOf: (date: string) => string;
  /** The most that may be spent in a day. */
  readonly cap?: string | null;
  /** The days of the period before, in the order of the days that they are compared with. */
  readonly before?: readonly DayAmount[];
}

/** A cap further above the bars than this would press them flat, so it is only named. */
const CAP_IN_SIGHT = 2.5;

const amountIn = ({ amount }: DayAmount) => Number(amount);

/** How high an amount is drawn, and the cap if it is in sight. */
function scaleOf({ days, forecast, before = [], cap = null }: ChartProps) {
  const highest = Math.max(
    ...days.map(amountIn),
    ...before.slice(0, days.length).map(amountIn),
    ...forecast.map(({ p90 }) => p90),
    0,
  );
  const isCapInSight = cap !== null && Number(cap) <= highest * CAP_IN_SIGHT;
  const top = roundUp(isCapInSight ? Math.max(highest, Number(cap)) : highest);
  return { top, isCapInSight, height: (amount: number) => (amount / top) * HEIGHT };
}

/**
 * Amounts by day, the same wherever days are drawn: bars, stacked, a line for the period before, a band for the forecast and a
 * line for the cap. The figures are below it as a table.
 */
export function SpendChart(props: ChartProps) {
  const { days, forecast, parts = [], unit = "usd", before = [], cap = null } = props;
  const width = (days.length + forecast.length) * SLOT;
  const { top, isCapInSight, height } = scaleOf(props);
  const capAt = HEIGHT - height(Number(cap));
  return (
    <figure class="chart">
      <div class="plot">
        <div class="plot-y" aria-hidden="true">
          {[top, (top * 3) / 4, top / 2, top / 4, 0].map((value) => (
            <span>{axis(value, unit)}</span>
          ))}
        </div>
        <svg
          class="plot-area"
          viewBox={`0 0 ${width} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="group"
          aria-label={summary(props)}
        >
          {[0, 25, 50, 75, 100].map((y) => (
            <line class="grid" x1="0" x2={width} y1={y} y2={y} />
          ))}
          {days.map((of, index) => (
            <Bar
              of={of}
              unit={unit}
              cap={cap}
              before={before[index] ?? null}
              x={index * SLOT}
              height={height}
              href={props.hrefOf(of.date)}
            />
          ))}
          <Before of={before.slice(0, days.length)} height={height} />
          <Forecast points={forecast} from={days.length * SLOT} height={height} />
          {isCapInSight && <line class="cap" x1="0" x2={width} y1={capAt} y2={capAt} />}
        </svg>
        <Ticks dates={[...days, ...forecast].map(({ date }) => date)} />
      </div>
      <Key of={props} isCapInSight={isCapInSight} />
      <ChartTable days={days} before={before} parts={parts} unit={unit} cap={cap} hrefOf={props.hrefOf} />
    </figure>
  );
}

function Key({ of, isCapInSight }: { of: ChartProps; isCapInSight: boolean }) {
  const { forecast, parts = [], unit = "usd", before = [], cap = null } = of;
  const [first, last] = [before[0], before.at(-1)];
  return (
    <figcaption class="key">
      {parts.length === 0 && <Swatch name="s0" label={unit === "usd" ? "Spent" : toWords(unit)} />}
      {parts.map((name, index) => (
        <Swatch name={`s${index}`} label={name} isName />
      ))}
      {first !== undefined && last !== undefined && (
        <Swatch name="before" label={`Before: ${day(first.date)} to ${day(last.date)}`} />
      )}
      {forecast.length > 0 && <Swatch name="band" label="Forecast: 10th to 90th percentile" />}
      {cap !== null && (
        <Swatch
          name="cap"
          label={`Daily cap ${formatChartAmount(cap, unit)}${isCapInSight ? "" : ", above this chart"}`}
        />
      )}
    </figcaption>
  );
}

/** The period before, from the middle of each bar to the next. */
function Before({ of, height }: { of: readonly DayAmount[]; height: (amount: number) => number }) {
  if (of.length === 0) return null;
  const points = of.map(
    (one, index) => `${index * SLOT + SLOT / 2},${(HEIGHT - height(Math.max(0, amountIn(one)))).toFixed(2)}`,
  );
  return <polyline class="before" points={points.join(" ")} />;
}

const MOST_TICKS = 6;

/** Dates below the bars, each centred below its own: the same share of the width in any size. */
function Ticks({ dates }: { dates: readonly string[] }) {
  const every = Math.max(1, Math.ceil(dates.length / MOST_TICKS));
  const centreOf = (index: number) => ((index + 0.5) / dates.length) * 100;
  return (
    <svg class="plot-x" aria-hidden="true">
      {dates.map((date, index) =>
        index % every === 0 ? (
          <text x={`${centreOf(index).toFixed(3)}%`} y="16" text-anchor="middle" data-date={date}>
            {day(date)}
          </text>
        ) : null,
      )}
    </svg>
  );
}

function summary({ days, forecast, cap, unit = "usd", before = [] }: ChartProps): string {
  const total = days.reduce((sum, { amount }) => sum + Number(amount), 0).toFixed(2);
  const earlier = before.reduce((sum, one) => sum + amountIn(one), 0).toFixed(2);
  const expected = forecast.reduce((sum, { p50 }) => sum + p50, 0).toFixed(2);
  return [
    `${unit === "usd" ? "Spend" : toWords(unit)} by day over ${days.length} days, ${formatChartAmount(total, unit)} in total.`,
    ...(before.length === 0 ? [] : [`In the period before: ${formatChartAmount(earlier, unit)}.`]),
    ...(forecast.length === 0
      ? []
      : [`Expected over the next ${forecast.length}: ${formatChartAmount(expected, unit)}.`]),
    ...(cap === null || cap === undefined ? [] : [`The daily cap is ${formatChartAmount(cap, unit)}.`]),
  ].join(" ");
}

function Forecast(props: {
  points: readonly ForecastPoint[];
  from: number;
  height: (amount: number) => number;
}) {
  const { points, from, height } = props;
  if (points.length === 0) return null;
  const at = (index: number, amount: number) =>
    `${from + index * SLOT + SLOT / 2},${(HEIGHT - height(amount)).toFixed(2)}`;
  const upper = points.map(({ p90 }, index) => at(index, p90));
  const lower = points.map(({ p10 }, index) => at(index, p10)).toReversed();
  return (
    <>
      <line class="now" x1={from} x2={from} y1="0" y2={HEIGHT} />
      <polygon class="band" points={[...upper, ...lower].join(" ")} />
      <polyline class="median" points={points.map(({ p50 }, index) => at(index, p50)).join(" ")} />
    </>
  );
}

/** A name may be long, and is cut. */
function Swatch({ name, label, isName = false }: { name: string; label: string; isName?: boolean }) {
  return (
    <span>
      <svg viewBox="0 0 12 8" aria-hidden="true">
        <rect class={name} width="12" height="8" rx="2" />
      </svg>
      {isName ? <b title={label}>{label}</b> : label}
    </span>
  );
}

/** How much of a limit is spent and reserved. The figures are shown too, so color is never the only signal. */
export function Meter(props: { spent: number; held?: number; label: string; plain?: boolean }) {
  const spent = Math.min(Math.max(props.spent, 0), 1);
  const held = Math.min(Math.max(props.held ?? 0, 0), 1 - spent);
  const full = props.plain === true ? 0 : spent + held;
  const tone = full >= 1 ? "meter bad" : full >= 0.8 ? "meter warn" : "meter";
  return (
    <svg
      class={tone}
      viewBox="0 0 100 1"
      preserveAspectRatio="none"
      {...(props.plain === true
        ? { "aria-hidden": "true" }
        : { role: "img", "aria-label": `${props.label}: ${percent(props.spent)} used` })}
    >
      <rect class="spent" width={(spent * 100).toFixed(2)} height="1" />
      <rect class="held" x={(spent * 100).toFixed(2)} width={(held * 100).toFixed(2)} height="1" />
    </svg>
  );
}
