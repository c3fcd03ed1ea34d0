import { DAY_MS } from "../../contract/durations.ts";
import { parseMoment } from "../../contract/list.ts";
import { invalidField, type Refusal } from "../../contract/refusal.ts";
import { daysTooMany } from "../../domain/usage-report/stretches.ts";
import { isTimeZone, localDayAt, startOfLocalDay } from "../../domain/time/zone.ts";

const DEFAULT_DAYS = 30;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

interface RangeQuery {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly timezone?: string | undefined;
}

export interface Range {
  readonly fromMs: number;
  /** Not included. */
  readonly toMs: number;
  readonly timeZone: string;
}

/** The range that a report is about: by default the last 30 days, today included. */
export function rangeOf(
  { from, to, timezone = "UTC" }: RangeQuery,
  nowMs: number,
): Range | Refusal<"validation_failed"> {
  if (!isTimeZone(timezone)) {
    return invalidField("timezone", "invalid_value", "must be an IANA time zone, such as Europe/Berlin");
  }
  const today = localDayAt(timezone, nowMs);
  const toMs = to === undefined ? startOfLocalDay(timezone, today + 1) : momentIn(timezone, to);
  const firstDay = localDayAt(timezone, toMs - 1) + 1 - DEFAULT_DAYS;
  const fromMs = from === undefined ? startOfLocalDay(timezone, firstDay) : momentIn(timezone, from);
  if (toMs <= fromMs) return invalidField("to", "out_of_range", "must be after from");
  const days = daysTooMany(fromMs, toMs);
  if (days !== null) {
    const message = `range of ${days} days exceeds the maximum of 400 days`;
    return invalidField("to", "out_of_range", message);
  }
  return { fromMs, toMs, timeZone: timezone };
}

/** A date is a midnight of the time zone. */
function momentIn(timeZone: string, text: string): number {
  const moment = parseMoment(text) ?? 0;
  return DATE.test(text) ? startOfLocalDay(timeZone, moment / DAY_MS) : moment;
}
