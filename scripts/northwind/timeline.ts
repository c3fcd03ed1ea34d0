import { Chance } from "./chance.ts";
import { DAY_MS, DAYS, firstOfMonth, isWeekend, UNUSUAL } from "./runs.ts";

/** What happens at Northwind, as `deeds.ts` does it. */
export type Deed =
  | "open"
  | "report"
  | "refuse"
  | "evaluate"
  | "begin-trial"
  | "end-trial"
  | "rotate-key"
  | "stop-agent"
  | "run-out"
  | "agree-on-more"
  | "plan-month"
  | "ask-approval"
  | "decide-approval"
  | "open-to-support"
  | "subscribe"
  | "exceed-budget"
  | "exceed-agreed"
  | "close-in";

export interface Moment {
  readonly atMs: number;
  readonly deed: Deed;
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** The time before midnight in which a report is made. */
const CLOSING_MS = 5 * MINUTE_MS;
const SEED = 2012;
const WORK_BEGINS_MS = 8 * HOUR_MS;
const WORK_MS = 9 * HOUR_MS;
const WORK_ENDS_MS = 19 * HOUR_MS;
/** Every third working day has a moment. Each costs the first start some milliseconds. */
const EVERY = 3;
/** What else happens on some of these days. A key that was used a moment ago would be rotated seconds later. */
const ALSO: Readonly<Record<number, readonly Deed[]>> = {
  1: ["begin-trial", "evaluate"],
  5: ["end-trial"],
  7: ["rotate-key"],
  8: ["stop-agent"],
  10: ["evaluate"],
};

type Planned = readonly [atMs: number, deeds: readonly Deed[]];

/** All that happens up to `nowMs`, in order. It depends on nothing else. */
export function timeline(nowMs: number): Moment[] {
  const today = Math.floor(nowMs / DAY_MS);
  const midnight = today * DAY_MS;
  const month = firstOfMonth(today) * DAY_MS;
  const planned = Math.min(month + 7.5 * HOUR_MS, Math.max(month, nowMs - HOUR_MS));
  const lately = (minutes: number) => Math.max(planned, midnight, nowMs - minutes * MINUTE_MS);
  const moments: Planned[] = [
    [midnight - DAYS * DAY_MS + 6 * HOUR_MS, ["open"]],
    ...workdays(today),
    ...approvalOf(midnight - 26 * DAY_MS),
    ...unusualWeek(today),
    ...approvalOf(midnight - 6 * DAY_MS),
    // Hardly a run of a month, or of a day, is charged to the next one.
    [month - CLOSING_MS, ["report"]],
    [midnight - CLOSING_MS, ["report"]],
    [planned, ["plan-month"]],
    [lately(95), ["report", "evaluate", "subscribe", "ask-approval", "open-to-support"]],
    [lately(52), ["stop-agent", "exceed-budget"]],
    [lately(26), ["refuse", "ask-approval", "exceed-agreed"]],
    [nowMs, ["report", "close-in"]],
  ];
  return moments
    .toSorted(([one], [other]) => one - other)
    .flatMap(([atMs, deeds]) => deeds.map((deed) => ({ atMs, deed })));
}

function workdays(today: number): Planned[] {
  const chance = new Chance(SEED);
  const days = Array.from({ length: DAYS - 1 }, (_, at) => today - DAYS + 1 + at);
  return days
    .filter((day) => !isWeekend(day))
    .filter((_, at) => at % EVERY === 0)
    .map((day, at) => [
      Math.floor(day * DAY_MS + WORK_BEGINS_MS + chance.next() * WORK_MS),
      [...(ALSO[at] ?? []), ...(at % 3 === 0 ? (["report"] as const) : []), "refuse"],
    ]);
}

/** A run waits for an approval, and somebody decides 40 minutes later. */
function approvalOf(dayMs: number): Planned[] {
  const atMs = dayMs + 14.9 * HOUR_MS;
  return [
    [atMs, ["ask-approval"]],
    [atMs + 40 * MINUTE_MS, ["decide-approval"]],
  ];
}

/** Each day is reported when it ends. What was agreed with the customer runs out, and the next morning more is agreed. */
function unusualWeek(today: number): Planned[] {
  const length = UNUSUAL.fromDaysAgo - UNUSUAL.toDaysAgo + 1;
  const days = Array.from({ length }, (_, at) => today - UNUSUAL.fromDaysAgo + at).filter(
    (day) => !isWeekend(day),
  );
  const [, , dry = 0, agreed = 0] = days;
  return [
    ...days.map((day): Planned => [day * DAY_MS + WORK_ENDS_MS, ["report"]]),
    [dry * DAY_MS + WORK_ENDS_MS, ["run-out"]],
    [agreed * DAY_MS + WORK_BEGINS_MS, ["agree-on-more"]],
  ];
}
