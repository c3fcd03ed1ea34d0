import { cents, count, day, percent, words } from "./format.ts";

/** One part of a day's bar, such as a model. */
export interface Part {
  readonly name: string;
  readonly amount: string;
}

export interface DayAmount {
  readonly date: string;
  readonly amount: string;
  /** In the order of the legend. Without parts, the bar is one. */
  readonly parts?: readonly Part[];
}

export interface ForecastPoint {
  readonly date: string;
  readonly p10: number;
  readonly p50: number;
  readonly p90: number;
}

export type Unit = "usd" | "runs" | "tokens";

interface ChartProps {
  readonly days: readonly DayAmount[];
  readonly forecast: readonly ForecastPoint[];
  /** The names of the parts, as in the legend. */
  readonly parts?: readonly string[];
  /** What the amounts count. Dollars unless it is said. */
  readonly unit?: Unit;
  /** The page of the runs of a day. */
  readonly hrefOf: (date: string) => string;
  /** The most that may be spent in a day. */
  readonly cap?: string | null;
}

const HEIGHT = 100;
const SLOT = 10;
/** A cap further above the bars than this would press them flat, so it is only named. */
const CAP_IN_SIGHT = 2.5;

/** The next round number at or above a value, so that the scale is easy to read. */
function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 1.5, 2, 3, 4, 5, 6, 8].find((step) => step * power >= value) ?? 10) * power;
}

const SCALES = [
  [1e9, "bn"],
  [1e6, "m"],
  [1e3, "k"],
] as const;

function axis(value: number, unit: Unit): string {
  const sign = unit === "usd" ? "$" : "";
  const [scale, letter] = SCALES.find(([from]) => value >= from) ?? [1, ""];
  if (scale > 1) return `${sign}${(value / scale).toLocaleString("en-US")}${letter}`;
  return `${sign}${value < 1 && value > 0 ? Number(value.toPrecision(2)) : value}`;
}

function written(amount: string, unit: Unit): string {
  return unit === "usd" ? cents(amount) : `${count(Math.round(Number(amount)))} ${unit}`;
}

/** Spend by day: bars for what was spent, stacked, a band for the forecast, a line for the cap. */
export function SpendChart(props: ChartProps) {
  const { days, forecast, parts = [], unit = "usd" } = props;
  const width = (days.length + forecast.length) * SLOT;
  const highest = Math.max(...days.map(({ amount }) => Number(amount)), ...forecast.map(({ p90 }) => p90), 0);
  const cap = props.cap === null || props.cap === undefined ? null : Number(props.cap);
  const isCapInSight = cap !== null && cap <= highest * CAP_IN_SIGHT;
  const top = roundUp(isCapInSight ? Math.max(highest, cap) : highest);
  const height = (amount: number) => (amount / top) * HEIGHT;
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
          {days.map((amount, index) => (
            <Bar of={amount} unit={unit} x={index * SLOT} height={height} href={props.hrefOf(amount.date)} />
          ))}
          <Forecast points={forecast} from={days.length * SLOT} height={height} />
          {isCapInSight && (
            <line class="cap" x1="0" x2={width} y1={HEIGHT - height(cap)} y2={HEIGHT - height(cap)} />
          )}
        </svg>
        <Ticks dates={[...days, ...forecast].map(({ date }) => date)} />
      </div>
      <figcaption class="key">
        {parts.length === 0 && <Swatch name="s0" label={unit === "usd" ? "Spent" : words(unit)} />}
        {parts.map((name, index) => (
          <Swatch name={`s${index}`} label={name} />
        ))}
        {forecast.length > 0 && <Swatch name="band" label="Forecast: 10th to 90th percentile" />}
        {cap !== null && (
          <Swatch
            name="cap"
            label={`Daily cap ${written(String(props.cap), unit)}${isCapInSight ? "" : ", above this chart"}`}
          />
        )}
      </figcaption>
    </figure>
  );
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

function Bar(props: {
  readonly of: DayAmount;
  readonly unit: Unit;
  readonly x: number;
  readonly height: (amount: number) => number;
  readonly href: string;
}) {
  const { of, unit, x, height, href } = props;
  const parts = of.parts ?? [{ name: "", amount: of.amount }];
  const lines = of.parts?.flatMap(({ name, amount }) =>
    Number(amount) === 0 ? [] : [`${name}: ${written(amount, unit)}`],
  );
  let base = HEIGHT;
  return (
    <a href={href}>
      <title>{[`${day(of.date)}: ${written(of.amount, unit)}`, ...(lines ?? [])].join("\n")}</title>
      <rect class="slot" data-date={of.date} x={x} y="0" width={SLOT} height={HEIGHT} />
      {parts.map(({ amount }, index) => {
        const tall = Math.max(0, height(Number(amount)));
        base -= tall;
        return tall === 0 ? null : (
          <rect
            class={`s${index}`}
            x={x + 1.5}
            y={base.toFixed(2)}
            width={SLOT - 3}
            height={tall.toFixed(2)}
          />
        );
      })}
    </a>
  );
}

function summary({ days, forecast, cap, unit = "usd" }: ChartProps): string {
  const total = days.reduce((sum, { amount }) => sum + Number(amount), 0).toFixed(2);
  const expected = forecast.reduce((sum, { p50 }) => sum + p50, 0).toFixed(2);
  return [
    `${unit === "usd" ? "Spend" : words(unit)} by day over ${days.length} days, ${written(total, unit)} in total.`,
    ...(forecast.length === 0
      ? []
      : [`Expected over the next ${forecast.length}: ${written(expected, unit)}.`]),
    ...(cap === null || cap === undefined ? [] : [`The daily cap is ${written(cap, unit)}.`]),
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
