import { DAY_MS } from "../../contract/durations.ts";
import { parseUsd } from "./money.ts";
import { calendarWindow, dayWindowIn, windowAt } from "../time/period.ts";

/** The amount that a customer pays its org. */
export interface Revenue {
  /** Nano-dollars for a calendar month. Null if there is nothing by the month. */
  readonly perMonth: bigint | null;
  /** The part that is added to its cost, in billionths of that. Null if its cost is not passed on. */
  readonly markup: bigint | null;
}

export interface RevenueRange {
  readonly fromMs: number;
  /** Not included. */
  readonly toMs: number;
  /** The time zone of its months. */
  readonly timeZone: string;
}

const ONE = 1_000_000_000n;

/** Nano-dollars that a customer pays for a range in which it cost so much. Rounded down. */
export function revenueOf({ perMonth, markup }: Revenue, range: RevenueRange, cost: bigint): bigint {
  return (
    accrueRevenue(perMonth ?? 0n, range) + (markup === null ? 0n : dividedDown(cost * (ONE + markup), ONE))
  );
}

/**
 * The part of a monthly amount that a range has: each month by the time that is in the range. The parts of ranges that follow one
 * another add up to that of the whole, and a whole month is the amount.
 */
export function accrueRevenue(perMonth: bigint, { fromMs, toMs, timeZone }: RevenueRange): bigint {
  let sum = 0n;
  if (perMonth === 0n) return sum;
  for (let at = fromMs; at < toMs;) {
    const { startMs, endMs } = calendarWindow({ period: "month", timeZone, anchorDay: 1 }, at);
    const end = Math.min(toMs, endMs ?? toMs);
    const length = BigInt((endMs ?? toMs) - startMs);
    const until = (moment: number) => (perMonth * BigInt(moment - startMs)) / length;
    sum += until(end) - until(at);
    at = end;
  }
  return sum;
}

/** The range until today: what is yet to come is not earned, and today counts as a whole day. */
export function untilToday(range: RevenueRange, nowMs: number): RevenueRange {
  const { endMs } = dayWindowIn(range.timeZone, nowMs);
  return { ...range, toMs: Math.min(range.toMs, endMs ?? range.toMs) };
}

/** As it is stored and shown. An amount that cannot be read must never count as none. */
export function toRevenue(texts: {
  readonly usd_per_month: string | null;
  readonly markup: string | null;
}): Revenue {
  return { perMonth: nanosOf(texts.usd_per_month), markup: nanosOf(texts.markup) };
}

function nanosOf(text: string | null): bigint | null {
  if (text === null) return null;
  const nanos = parseUsd(text);
  if (nanos === null) throw new Error(`'${text}' is not an amount`);
  return nanos;
}

/** Full days in UTC of which revenue is shown. */
export interface EarnedDays {
  readonly fromMs: number;
  /** Not included. */
  readonly toMs: number;
}

/** The days that are shown unless others are asked for. */
export function monthToDate(nowMs: number): EarnedDays {
  return { fromMs: windowAt("month", nowMs).startMs, toMs: windowAt("day", nowMs).startMs + DAY_MS };
}

/** Division of bigints rounds towards zero. */
function dividedDown(value: bigint, by: bigint): bigint {
  return value / by - (value < 0n && value % by !== 0n ? 1n : 0n);
}
