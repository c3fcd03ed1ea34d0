import { DAY_MS, HOUR_MS } from "../../../../contract/durations.ts";
import type { LimitInUse } from "../../../../contract/resources/limits.ts";

/** When a limit is used up, as the overview says it. */
export type Outlook =
  | { readonly kind: "used_up" | "too_early" | "lasts" }
  | { readonly kind: "forecast" | "paced"; readonly date: string };

const KINDS_IN_ORDER = ["used_up", "dated", "too_early", "lasts"];

/** In the order of what is shown: used up first, then the earliest date. */
export function compareUrgency(
  limits: readonly LimitInUse[],
  nowMs: number,
): { readonly limit: LimitInUse; readonly outlook: Outlook }[] {
  return limits
    .map((limit) => ({ limit, outlook: outlookOf(limit, nowMs) }))
    .sort(
      (one, other) =>
        compare(placeOf(one.outlook), placeOf(other.outlook)) || other.limit.used - one.limit.used,
    );
}

function placeOf(outlook: Outlook): string {
  const isDated = "date" in outlook;
  return `${KINDS_IN_ORDER.indexOf(isDated ? "dated" : outlook.kind)} ${isDated ? outlook.date.slice(0, 10) : ""}`;
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** A forecast if there is one. Otherwise the pace so far, once the limit has counted for long enough to have one. */
export function outlookOf(limit: LimitInUse, nowMs: number): Outlook {
  const { available, forecast, runs_out_at: paced, period, period_start: start } = limit;
  if (Number(available) <= 0) return { kind: "used_up" };
  if (forecast !== null) {
    return forecast.p50_date === null ? { kind: "lasts" } : { kind: "forecast", date: forecast.p50_date };
  }
  if (paced === null) return { kind: "lasts" };
  const leastMs = period === "day" ? HOUR_MS : DAY_MS;
  return nowMs - Date.parse(start) < leastMs ? { kind: "too_early" } : { kind: "paced", date: paced };
}
