import { HOUR_MS } from "../../contract/durations.ts";
import { formatUsd } from "../price/money.ts";
import {
  dayOfHour,
  daysOfHours,
  firstHourOf,
  type HoursBySubject,
  type HourTotal,
  type SubjectKind,
} from "./hours.ts";
import { median } from "./robust.ts";
import { LEAST_HISTORY_DAYS } from "./forecast.ts";
import { dateOfDay, type DayNumber } from "./series.ts";
import { highHours, unusualHours } from "./unusual-hours.ts";
import {
  type UnusualDaysQuery,
  leavesRecent,
  type CheckedDays,
  type UnexpectedSpend,
  RECENT_DAYS,
  type SpentDay,
  unusualDays,
} from "./unusual.ts";

/** The spend of somebody or something on each day. */
export interface SubjectDays {
  readonly kind: SubjectKind;
  /** Null for the org itself. */
  readonly id: string | null;
  readonly days: readonly SpentDay[];
  /** Its known hours. */
  readonly hours?: readonly HourTotal[];
  /** Its days are sums of its hours, which are known up to this day. Absent if they are known up to now. */
  readonly knownTo?: DayNumber;
}

/** An unusual day or hour, as callers and readers of the event see it. */
export interface UnusualSpend {
  readonly subject_kind: SubjectKind;
  readonly subject_id: string | null;
  readonly date: string;
  /** Null if the day as a whole is unusual. */
  readonly hour: string | null;
  readonly direction: "above" | "below";
  readonly spent_usd: string;
  readonly expected_usd: string;
  readonly low_usd: string;
  readonly high_usd: string;
}

type SubjectDaysQuery = Omit<UnusualDaysQuery, "usualUsd">;

/**
 * The unusual days of one subject, each once: of a day that is not unusual as a whole, the hour in which most was spent of
 * those that are. `org` is the spend of the whole org, which includes the subject's.
 */
export function unusualSpend(
  subject: SubjectDays,
  org: SubjectDays,
  asked: SubjectDaysQuery,
): UnusualSpend[] {
  const { days, hours = [] } = subject;
  const usualUsd = usualOf(org, asked);
  const found = unusualDays(days, daysCompared(subject, asked, usualUsd));
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

function usualOf(org: SubjectDays, { from }: CheckedDays): number {
  const before = org.days.filter(({ day }) => day < from && day >= from - RECENT_DAYS);
  return before.length === 0 ? 0 : median(before.map(({ value }) => value));
}

/** The days that a subject's days are compared with. */
function daysCompared<T extends CheckedDays>({ kind, knownTo }: SubjectDays, asked: T, usualUsd: number) {
  const today = Math.min(asked.today, knownTo ?? asked.today);
  return { ...asked, today, usualUsd: kind === "org" ? 0 : usualUsd };
}

/**
 * Without the subjects of which no day and no hour stands out, and without hours where none does: nothing of theirs is unusual.
 * The first is the org, which all others are compared with.
 */
export function pickStandingOut(subjects: readonly SubjectDays[], asked: CheckedDays): SubjectDays[] {
  const [org] = subjects;
  if (org === undefined) return [];
  const usualUsd = usualOf(org, asked);
  return subjects.flatMap((subject) => {
    const hours = subject.hours ?? [];
    const isHigh = highHours(hours, { ...asked, usualUsd }).length > 0;
    const isListed =
      isHigh || subject === org || leavesRecent(subject.days, daysCompared(subject, asked, usualUsd));
    return isListed ? [{ ...subject, hours: isHigh ? hours : [] }] : [];
  });
}

/** The unusual days of all. The first is the org. */
export function allUnusual(subjects: readonly SubjectDays[], asked: SubjectDaysQuery): UnusualSpend[] {
  const [org] = subjects;
  return org === undefined ? [] : subjects.flatMap((subject) => unusualSpend(subject, org, asked));
}

/** So many days of hours are kept: the four weeks before the week that is listed by default. */
export const KEPT_DAYS = 35;

/** True if hours can show anything of the days from `from` on: not if too few of the days before are kept. */
export function hoursMatter({ from, today }: Omit<CheckedDays, "to">): boolean {
  return from - (today - KEPT_DAYS) >= LEAST_HISTORY_DAYS;
}

/** Hours of all subjects, which are complete up to a day. */
export interface KnownHours {
  readonly bySubject: HoursBySubject;
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
  const { bySubject, to: knownTo } = known;
  const others = (["key", "user"] as const).flatMap((kind) =>
    Array.from(bySubject.get(kind) ?? [], ([id, hours]) => ({ id, hours, usd: spentIn(hours, asked) }))
      .filter(({ usd }) => usd > 0)
      .toSorted((one, other) => other.usd - one.usd)
      .slice(0, MOST[kind])
      .map(({ id, hours }) => ({ kind, id, hours, days: daysOfHours(hours), knownTo })),
  );
  const named = subjects.map((subject) => ({
    ...subject,
    hours: bySubject.get(subject.kind)?.get(subject.id ?? "") ?? [],
  }));
  return [...named, ...others];
}

function spentIn(
  hours: readonly HourTotal[],
  { from, to }: { readonly from: DayNumber; readonly to: DayNumber },
): number {
  const [first, end] = [firstHourOf(from), firstHourOf(to + 1)];
  return hours.reduce((sum, { hour, value }) => (hour >= first && hour < end ? sum + value : sum), 0);
}

const dollars = (usd: number): string => formatUsd(BigInt(Math.round(Math.max(0, usd) * 100)) * 10_000_000n);

function shown(
  { kind, id }: SubjectDays,
  date: string,
  hour: string | null,
  found: UnexpectedSpend,
): UnusualSpend {
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
