import type { UNUSUAL_KINDS } from "../../contract/lists.ts";
import { formatUsd } from "../price/money.ts";
import { median } from "./robust.ts";
import { dateOfDay, type DayNumber, type DayTotal } from "./series.ts";
import { type Sensitivity, type UnusualDay, unusualDays } from "./unusual.ts";

/** What somebody or something spent each day. */
export interface SubjectDays {
  readonly kind: (typeof UNUSUAL_KINDS)[number];
  /** Null for the org itself. */
  readonly id: string | null;
  readonly days: readonly DayTotal[];
}

/** One unusual day, as callers and readers of the event see it. */
export interface UnusualSpend {
  readonly subject_kind: SubjectDays["kind"];
  readonly subject_id: string | null;
  readonly date: string;
  readonly direction: "above" | "below";
  readonly spent_usd: string;
  readonly expected_usd: string;
  readonly low_usd: string;
  readonly high_usd: string;
}

interface Asked {
  readonly from: DayNumber;
  readonly to: DayNumber;
  readonly today: DayNumber;
  readonly sensitivity: Sensitivity;
}

/** The unusual days of one subject. `org` is the whole org, of which it is a part. */
export function unusualSpend(subject: SubjectDays, org: SubjectDays, asked: Asked): UnusualSpend[] {
  const before = org.days.filter(({ day }) => day < asked.from && day >= asked.from - 28);
  const usualUsd =
    subject.kind === "org" || before.length === 0 ? 0 : median(before.map(({ value }) => value));
  return unusualDays(subject.days, { ...asked, usualUsd }).map((found) => shown(subject, found));
}

const dollars = (usd: number): string => formatUsd(BigInt(Math.round(Math.max(0, usd) * 100)) * 10_000_000n);

function shown({ kind, id }: SubjectDays, found: UnusualDay): UnusualSpend {
  return {
    subject_kind: kind,
    subject_id: id,
    date: dateOfDay(found.day),
    direction: found.direction,
    spent_usd: dollars(found.usd),
    expected_usd: dollars(found.expected),
    low_usd: dollars(found.low),
    high_usd: dollars(found.high),
  };
}
