import { DAY_MS, HOUR_MS } from "../../contract/durations.ts";
import { dayWindowIn } from "../time/period.ts";
import { localDayAt } from "../time/zone.ts";
import type { Stretches } from "./ask.ts";

type Time = "day" | "week" | "month";

/** The epoch was a Thursday. */
const THURSDAY = 3;

/** The calendar days, weeks from Monday on, or months of a time zone, from a moment until before another. */
export function stretchesOf(
  time: Time,
  { fromMs, toMs, timeZone }: { readonly fromMs: number; readonly toMs: number; readonly timeZone: string },
): Stretches {
  const starts: number[] = [];
  const labels: string[] = [];
  for (let at = fromMs; at < toMs;) {
    const { startMs, endMs } = dayWindowIn(timeZone, at);
    const label = labelOf(time, localDayAt(timeZone, startMs));
    if (label !== labels.at(-1)) {
      starts.push(startMs);
      labels.push(label);
    }
    at = endMs ?? toMs;
  }
  return { starts, labels };
}

/** A week is called by its Monday. */
function labelOf(time: Time, day: number): string {
  const first = time === "week" ? day - ((((day + THURSDAY) % 7) + 7) % 7) : day;
  return new Date(first * DAY_MS).toISOString().slice(0, time === "month" ? 7 : 10);
}

const MOST_DAYS = 400;

/** How many days a range has, where that is too many. A range of dates may have an hour more where clocks change. */
export function daysTooMany(fromMs: number, toMs: number): number | null {
  return toMs - fromMs <= MOST_DAYS * DAY_MS + HOUR_MS ? null : Math.ceil((toMs - fromMs) / DAY_MS);
}
