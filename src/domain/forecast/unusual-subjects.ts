import { HOUR_MS } from "../../contract/durations.ts";
import { formatUsd } from "../price/money.ts";
import {
  dayOfHour,
  daysOfHours,
  hoursBySubject,
  type HourSpend,
  type HourTotal,
  type SubjectKind,
} from "./hours.ts";
import { median } from "./robust.ts";
import { dateOfDay, type DayNumber, type DayTotal } from "./series.ts";
import { unusualHours } from "./unusual-hours.ts";
import { type DaysAsked, type Outside, RECENT_DAYS, type SpentDay, unusualDays } from "./unusual.ts";

/** What somebody or something spent each day. */
export interface SubjectDays {
  readonly kind: SubjectKind;
  /** Null for the org itself. */
  readonly id: string | null;
  readonly days: readonly SpentDay[];
  /** What is known of its hours. */
  readonly hours?: readonly HourTotal[];
  /** Its days are sums of its hours, which are known up to this day. Absent: they are known up to now. */
  readonly knownTo?: DayNumber;
}

/** An unusual day or hour, as callers and readers of the event see it. */
export interface UnusualSpend {
  readonly subject_kind: SubjectKind;
  readonly subject_id: string | null;
  readonly date: string;
  /** Null: the day as a whole is unusual. */
  readonly hour: string | null;
  readonly direction: "above" | "below";
  readonly spent_usd: string;
  readonly expected_usd: string;
  readonly low_usd: string;
  readonly high_usd: string;
}

type Asked = Omit<DaysAsked, "usualUsd">;

/**
 * The unusual days of one subject, each once: of a day that is not unusual as a whole, the hour in which most was spent of
 * those that are. `org` is the spend of the whole org, which includes the subject's.
 */
export function unusualSpend(subject: SubjectDays, org: SubjectDays, asked: Asked): UnusualSpend[] {
  const { kind, days, hours = [], knownTo = asked.today } = subject;
  const before = org.days.filter(({ day }) => day < asked.from && day >= asked.from - RECENT_DAYS);
  const usualUsd = before.length === 0 ? 0 : median(before.map(({ value }) => value));
  const known = { ...asked, today: Math.min(asked.today, knownTo) };
  const found = unusualDays(days, { ...known, usualUsd: kind === "org" ? 0 : usualUsd });
  const dates = new Set(found.map(({ day }) => day));
  const byHour = unusualHours(hours, days, { ...asked, usualUsd })
    .toSorted((one, other) => other.usd - one.usd)
    .filter(({ hour }) => !dates.has(dayOfHour(hour)) && dates.add(dayOfHour(hour)));
  return [
    ...found.map((one) => shown(subject, dateOfDay(one.day), null, one)),
    ...byHour.map((one) =>
      shown(subject, dateOfDay(dayOfHour(one.hour)), new Date(one.hour * HOUR_MS).toISOString(), one),
    ),
  ].toSorted((one, other) => (one.date < other.date ? -1 : 1));
}

/** Hours of all subjects, which are complete up to a day. */
export interface KnownHours {
  readonly spends: readonly HourSpend[];
  readonly to: DayNumber;
}

/** The keys and users that are looked at: those that spent most in the days asked for. */
const MOST = { key: 30, user: 30 } as const;

/** The hours of each subject, and the keys and users, of which no other sums are kept than those of hours. */
export function withHours(
  subjects: readonly SubjectDays[],
  known: KnownHours,
  asked: { readonly from: DayNumber; readonly to: DayNumber },
): SubjectDays[] {
  const hours = hoursBySubject(known.spends);
  const others = (["key", "user"] as const).flatMap((kind) =>
    [...(hours.get(kind) ?? [])]
      .map(([id, theirs]) => ({ kind, id, hours: theirs, days: daysOfHours(theirs), knownTo: known.to }))
      .map((subject) => ({ subject, usd: spentIn(subject.days, asked) }))
      .filter(({ usd }) => usd > 0)
      .toSorted((one, other) => other.usd - one.usd)
      .slice(0, MOST[kind])
      .map(({ subject }) => subject),
  );
  const named = subjects.map((subject) => ({
    ...subject,
    hours: hours.get(subject.kind)?.get(subject.id ?? "") ?? [],
  }));
  return [...named, ...others];
}

function spentIn(
  days: readonly DayTotal[],
  { from, to }: { readonly from: DayNumber; readonly to: DayNumber },
) {
  return days.reduce((sum, { day, value }) => (day >= from && day <= to ? sum + value : sum), 0);
}

const dollars = (usd: number): string => formatUsd(BigInt(Math.round(Math.max(0, usd) * 100)) * 10_000_000n);

function shown({ kind, id }: SubjectDays, date: string, hour: string | null, found: Outside): UnusualSpend {
  return {
    subject_kind: kind,
    subject_id: id,
    date,
    hour,
    direction: found.direction,
    spent_usd: dollars(found.usd),
    expected_usd: dollars(found.expected),
    low_usd: dollars(found.low),
    high_usd: dollars(found.high),
  };
}
