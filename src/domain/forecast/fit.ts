import { median, medianSlope, standardDeviation } from "./robust.ts";
import { weekdayOf, type DailySeries, type DayNumber } from "./series.ts";
import { weekdayPattern, type Point, type WeekdayPattern } from "./weekday.ts";

/** `log` fits proportional growth with multiplicative weekdays, `linear` fits growth by an amount. */
export type Shape = {
  readonly scale: "linear" | "log";
  readonly trend: "none" | "line";
  readonly windowDays: number;
};

export type Fit = {
  readonly shape: Shape;
  readonly lastDay: DayNumber;
  readonly seenDays: number;
  readonly level: number;
  readonly slope: number;
  readonly weekdays: WeekdayPattern;
  /**
   * Residuals of the known days, including outliers, because the future has outliers too. They are widened for the
   * degrees of freedom of the fit, which is closer to days it has seen than to new ones.
   */
  readonly residuals: readonly number[];
};

const OUTLIER_SPREADS = 4;

export function intoScale(value: number, scale: Shape["scale"]): number {
  return scale === "log" ? Math.log(value) : value;
}

export function outOfScale(value: number, scale: Shape["scale"]): number {
  return scale === "log" ? Math.exp(Math.min(value, 700)) : Math.max(0, value);
}

/**
 * How many days of trend to add `ahead` days after the last known day. A trend continues for a third of the time it was
 * observed, at most a month, and then fades with a half-life of twice that, because nothing grows at the same rate for
 * half a year.
 */
function trendDays(ahead: number, seenDays: number): number {
  const whole = Math.min(30, seenDays / 3);
  const fade = (2 * whole) / Math.LN2;
  return ahead <= whole ? ahead : whole + fade * (1 - Math.exp((whole - ahead) / fade));
}

/** The expected value in the fit's own scale, `ahead` days after its last day. */
export function predictValue(fit: Fit, ahead: number, slope = fit.slope): number {
  const trend = slope * trendDays(ahead, fit.seenDays);
  return fit.level + trend + (fit.weekdays[weekdayOf(fit.lastDay + ahead)] ?? 0);
}

/** A series in one scale without its weekday pattern. All shapes of that scale share it. */
export type LevelledSeries = {
  readonly lastDay: DayNumber;
  readonly seenDays: number;
  readonly weekdays: WeekdayPattern;
  readonly level: readonly Point[];
};

/** Null if the scale does not suit the data, such as a log scale with too many zeros. */
export function levelSeries(series: DailySeries, scale: Shape["scale"]): LevelledSeries | null {
  const known = knownPoints(series);
  const points = scale === "log" ? known.filter(([, value]) => value > 0) : known;
  if (points.length < 2 || points.length < known.length * 0.9) return null;
  const scaled = points.map(([day, value]): Point => [day, intoScale(value, scale)]);
  const weekdays = weekdayPattern(scaled);
  return {
    lastDay: series.firstDay + series.values.length - 1,
    seenDays: series.values.length,
    weekdays,
    level: scaled.map(([day, value]): Point => [day, value - (weekdays[weekdayOf(day)] ?? 0)]),
  };
}

export function fitShape({ lastDay, seenDays, weekdays, level }: LevelledSeries, shape: Shape): Fit {
  const inWindow = level.filter(([day]) => day > lastDay - shape.windowDays);
  const first = line(inWindow.length >= 7 ? inWindow : level, shape, lastDay);
  const limit = OUTLIER_SPREADS * standardDeviation(first.residuals);
  const usual = first.points.filter((_, index) => Math.abs(first.residuals[index] ?? 0) <= limit);
  const { atLastDay, slope } =
    limit > 0 && usual.length >= 7 && usual.length < first.points.length
      ? line(usual, shape, lastDay)
      : first;
  const widened = widening(first.points.length, level.length, shape);
  const residuals = first.points.map(
    ([day, value]) => widened * (value - atLastDay - slope * (day - lastDay)),
  );
  return { shape, lastDay, seenDays, level: atLastDay, slope, weekdays, residuals };
}

function widening(residuals: number, days: number, shape: Shape): number {
  const freedom = (shape.trend === "line" ? 2 : 1) + (6 * residuals) / days;
  const inSample = Math.sqrt(residuals / Math.max(residuals - freedom, residuals / 3));
  const inwardQuantiles = (residuals + 1) / (residuals - 1);
  return inSample * inwardQuantiles;
}

function line(points: readonly Point[], shape: Shape, lastDay: DayNumber) {
  const slope = shape.trend === "line" ? medianSlope(points) : 0;
  const atLastDay = median(points.map(([day, value]) => value - slope * (day - lastDay)));
  const residuals = points.map(([day, value]) => value - atLastDay - slope * (day - lastDay));
  return { points, slope, atLastDay, residuals };
}

function knownPoints(series: DailySeries): Point[] {
  return series.values.flatMap((value, index): Point[] =>
    value === null ? [] : [[series.firstDay + index, value]],
  );
}
