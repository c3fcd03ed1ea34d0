import { day, percent, usd } from "./format.ts";

export interface DayAmount {
  readonly date: string;
  readonly usd: string;
}

export interface ForecastPoint {
  readonly date: string;
  readonly p10: number;
  readonly p50: number;
  readonly p90: number;
}

const HEIGHT = 100;
const SLOT = 10;

/** The next round number at or above a value, so that the scale is easy to read. */
export function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 1.5, 2, 3, 4, 5, 6, 8].find((step) => step * power >= value) ?? 10) * power;
}

function axis(value: number): string {
  if (value >= 1000) return `$${(value / 1000).toLocaleString("en-US")}k`;
  return `$${value < 1 && value > 0 ? value.toPrecision(2) : value}`;
}

/** Spend by day: bars for what was spent, a band for the forecast. */
export function SpendChart(props: { days: readonly DayAmount[]; forecast: readonly ForecastPoint[] }) {
  const { days, forecast } = props;
  const width = (days.length + forecast.length) * SLOT;
  const top = roundUp(
    Math.max(...days.map(({ usd: spent }) => Number(spent)), ...forecast.map(({ p90 }) => p90), 0),
  );
  const height = (amount: number) => (amount / top) * HEIGHT;
  const last = forecast.at(-1)?.date ?? days.at(-1)?.date;
  return (
    <figure class="chart">
      <div class="plot">
        <div class="plot-y" aria-hidden="true">
          {[top, top / 2, 0].map((value) => (
            <span>{axis(value)}</span>
          ))}
        </div>
        <svg
          class="plot-area"
          viewBox={`0 0 ${width} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={summary(props)}
        >
          {[0, 50, 100].map((y) => (
            <line class="grid" x1="0" x2={width} y1={y} y2={y} />
          ))}
          {days.map((amount, index) => (
            <Bar amount={amount} x={index * SLOT} height={height(Number(amount.usd))} />
          ))}
          <Forecast points={forecast} from={days.length * SLOT} height={height} />
        </svg>
        <div class={forecast.length > 0 ? "plot-x ahead" : "plot-x"} aria-hidden="true">
          {days[0] && <span>{day(days[0].date)}</span>}
          {forecast.length > 0 && <span class="today">Today</span>}
          {last && <span>{day(last)}</span>}
        </div>
      </div>
      <figcaption class="key">
        <Swatch name="spent" label="Spent" />
        {forecast.length > 0 && (
          <Swatch name="band" label="Forecast: 10th to 90th percentile, median dashed" />
        )}
      </figcaption>
    </figure>
  );
}

function Bar({ amount, x, height }: { amount: DayAmount; x: number; height: number }) {
  return (
    <g>
      <title>{`${day(amount.date)}: ${usd(amount.usd)}`}</title>
      <rect class="slot" x={x} y="0" width={SLOT} height={HEIGHT} />
      <rect class="bar" x={x + 1.5} y={HEIGHT - height} width={SLOT - 3} height={height} />
    </g>
  );
}

function summary({
  days,
  forecast,
}: {
  days: readonly DayAmount[];
  forecast: readonly ForecastPoint[];
}): string {
  const total = days.reduce((sum, { usd: spent }) => sum + Number(spent), 0).toFixed(2);
  const expected = forecast.reduce((sum, { p50 }) => sum + p50, 0).toFixed(2);
  const spent = `Spend by day over ${days.length} days, ${usd(total)} in total.`;
  return forecast.length === 0
    ? spent
    : `${spent} Expected over the next ${forecast.length}: ${usd(expected)}.`;
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

function Swatch({ name, label }: { name: string; label: string }) {
  return (
    <span>
      <svg viewBox="0 0 12 8" aria-hidden="true">
        <rect class={name} width="12" height="8" rx="2" />
      </svg>
      {label}
    </span>
  );
}

/** How much of a limit is spent and reserved. The figures are shown too, so color is never the only signal. */
export function Meter(props: { spent: number; held?: number; label: string }) {
  const spent = Math.min(Math.max(props.spent, 0), 1);
  const held = Math.min(Math.max(props.held ?? 0, 0), 1 - spent);
  const tone = spent + held >= 1 ? "meter bad" : spent + held >= 0.8 ? "meter warn" : "meter";
  return (
    <svg
      class={tone}
      viewBox="0 0 100 1"
      preserveAspectRatio="none"
      role="img"
      aria-label={`${props.label}: ${percent(props.spent)} used`}
    >
      <rect class="spent" width={(spent * 100).toFixed(2)} height="1" />
      <rect class="held" x={(spent * 100).toFixed(2)} width={(held * 100).toFixed(2)} height="1" />
    </svg>
  );
}

/** The most expensive items, each with a bar relative to the largest. */
export function Ranking(props: { of: readonly { readonly name: string; readonly usd: string }[] }) {
  const largest = Math.max(...props.of.map(({ usd: spent }) => Number(spent)), 0);
  return (
    <ol class="ranking">
      {props.of.map(({ name, usd: spent }) => (
        <li>
          <span class="label">
            <span title={name}>{name}</span>
            <span class="number">{usd(spent)}</span>
          </span>
          <svg class="meter" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
            <rect
              class="spent"
              width={largest === 0 ? 0 : ((Number(spent) / largest) * 100).toFixed(2)}
              height="1"
            />
          </svg>
        </li>
      ))}
    </ol>
  );
}
