import { cents, count } from "./format.ts";

/** The unit of the amounts of a chart. */
export const UNITS = ["usd", "tokens", "runs"] as const;
export type Unit = (typeof UNITS)[number];

export const UNIT_TITLES: Readonly<Record<Unit, string>> = { usd: "Dollars", tokens: "Tokens", runs: "Runs" };

/** One part of a day's bar, such as a model. */
interface BarPart {
  readonly name: string;
  readonly amount: string;
}

export interface DayAmount {
  readonly date: string;
  readonly amount: string;
  /** In the order of the legend. Without parts, the bar is one. */
  readonly parts?: readonly BarPart[];
}

export interface ForecastPoint {
  readonly date: string;
  readonly p10: number;
  readonly p50: number;
  readonly p90: number;
}

/** The next round number at or above a value, so that the scale is easy to read. */
export function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 1.5, 2, 3, 4, 5, 6, 8].find((step) => step * power >= value) ?? 10) * power;
}

const SCALES = [
  [1e9, "bn"],
  [1e6, "m"],
  [1e3, "k"],
] as const;

export function axis(value: number, unit: Unit): string {
  const sign = unit === "usd" ? "$" : "";
  const [scale, letter] = SCALES.find(([from]) => value >= from) ?? [1, ""];
  if (scale > 1) return `${sign}${(value / scale).toLocaleString("en-US")}${letter}`;
  return `${sign}${value < 1 && value > 0 ? Number(value.toPrecision(2)) : value}`;
}

export function formatChartAmount(amount: string, unit: Unit): string {
  return unit === "usd" ? cents(amount) : `${count(Math.round(Number(amount)))} ${unit}`;
}
