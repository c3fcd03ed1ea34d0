import type { SCENARIOS } from "../../contract/lists.ts";
import { BoundedMap } from "../cache/bounded-map.ts";
import { chooseModel, type Model } from "./choose.ts";
import { capPath, type Allowance } from "./exhaustion.ts";
import { bandsOf, simulate, type Band, type Path, type PathChange } from "./paths.ts";
import type { Returns } from "./returns.ts";
import { dateOfDay, seriesOf, type DailySeries, type DayNumber, type DayTotal } from "./series.ts";

export type Scenario = (typeof SCENARIOS)[number];

export const LEAST_HISTORY_DAYS = 14;

export type History = { readonly series: DailySeries; readonly today: DayNumber; readonly usedToday: number };

/**
 * Days up to yesterday, because today is incomplete and would look like a drop. Today counts only if the history would
 * otherwise be too short. Null if the first and last day are less than two weeks apart.
 */
export function historyOf(totals: readonly DayTotal[], today: DayNumber): History | null {
  const past = totals.filter(({ day }) => day <= today);
  const span = spanOf(past);
  if (span === null || span.last - span.first + 1 < LEAST_HISTORY_DAYS) return null;
  const { first } = span;
  const lastDay = today - first >= LEAST_HISTORY_DAYS ? today - 1 : today;
  const usedToday = past.find(({ day }) => day === today)?.value ?? 0;
  const series = seriesOf(
    past.filter(({ day }) => day <= lastDay),
    lastDay,
  );
  return { series, today, usedToday };
}

function spanOf(totals: readonly DayTotal[]): { first: DayNumber; last: DayNumber } | null {
  let span: { first: DayNumber; last: DayNumber } | null = null;
  for (const { day } of totals) {
    span =
      span === null
        ? { first: day, last: day }
        : { first: Math.min(span.first, day), last: Math.max(span.last, day) };
  }
  return span;
}

export type Outlook = {
  readonly model: Model;
  readonly history: History;
  readonly horizonDays: number;
};

/** Choosing a model is most of the work of a forecast, and days that are over rarely change. */
const MOST_MODELS = 256;
const models = new BoundedMap<string, Model>(MOST_MODELS);

export function outlookOf(history: History, horizonDays: number): Outlook {
  const { firstDay, values } = history.series;
  const key = [horizonDays, firstDay, ...values].join();
  const model = models.get(key) ?? chooseModel(history.series, horizonDays);
  models.set(key, model);
  return { model, history, horizonDays };
}

export type Assumptions = {
  readonly scenario: Scenario;
  /** Growth of capacity in 30 days, as a share. Only the growth scenario uses it. */
  readonly growthRate: number;
  readonly returns: Returns;
  /** The amounts that the constrained scenario must not exceed, in the unit of the series. */
  readonly allowances: readonly Allowance[];
};

/** Simulated futures that start today, without what today has already used. */
export function simulateFutures(outlook: Outlook, assume: Assumptions): Path[] {
  const { model, history } = outlook;
  const knownToday = model.fit.lastDay === history.today;
  const days = outlook.horizonDays + (knownToday ? 0 : 1);
  const change = changeFor(model, assume);
  const paths = isUnchanged(change) ? simulated(model, days) : simulate(model, days, change);
  const fromToday = paths.map((path) => {
    const own = new Float64Array(knownToday ? path.length + 1 : path.length);
    own.set(path, knownToday ? 1 : 0);
    if (!knownToday) own[0] = Math.max(0, (own[0] ?? 0) - history.usedToday);
    return own;
  });
  return assume.scenario === "constrained"
    ? fromToday.map((path) => capPath(path, assume.allowances))
    : fromToday;
}

/** A page has the forecasts of a few limits, and is looked at again. The paths of one take 0.1 MB. */
const MOST_SIMULATED = 16;
const simulations = new BoundedMap<Model, readonly Path[]>(MOST_SIMULATED);

const isUnchanged = ({ slope, factor }: PathChange) => slope === undefined && factor === undefined;

/** The futures of a model as it is. It stays the same until another of its days is over. */
function simulated(model: Model, days: number): readonly Path[] {
  const known = simulations.get(model);
  const paths = known?.[0]?.length === days ? known : simulate(model, days);
  simulations.set(model, paths);
  return paths;
}

const bands = new WeakMap<Model, readonly Band[]>();

/** The range of each day after the last known one. */
export function bandsAhead({ model, horizonDays }: Pick<Outlook, "model" | "horizonDays">): readonly Band[] {
  const known = bands.get(model);
  if (known?.length === horizonDays) return known;
  const made = bandsOf(simulate(model, horizonDays), horizonDays);
  bands.set(model, made);
  return made;
}

/**
 * `growth`: capacity grows by the rate and usage follows it with diminishing returns. `constrained`: no capacity is
 * added, so growth stops (a decline does not), and no allowance is exceeded.
 */
function changeFor(model: Model, { scenario, growthRate, returns }: Assumptions): PathChange {
  if (scenario === "constrained") return { slope: Math.min(0, model.fit.slope) };
  if (scenario === "baseline") return {};
  return { factor: (ahead) => (1 + growthRate) ** ((returns.exponent * ahead) / 30) };
}

export type DatedBand = Band & { readonly date: string };

/** The days after today, with one band each. */
export function pointsOf(outlook: Outlook, paths: readonly Path[]): DatedBand[] {
  return bandsOf(paths, outlook.horizonDays + 1)
    .map((band, index) => ({ date: dateOfDay(outlook.history.today + index), ...band }))
    .slice(1);
}

/** The name of the fitted shape for callers, such as `log_trend_weekday`. */
export function methodOf({ model }: Outlook): string {
  const { shape, weekdays } = model.fit;
  const weekly = weekdays.some((effect) => effect !== 0);
  return [shape.scale, shape.trend === "line" ? "trend" : "level", ...(weekly ? ["weekday"] : [])].join("_");
}
