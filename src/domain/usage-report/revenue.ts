import { isRefusal, type Refusal } from "../../contract/refusal.ts";
import { accrueRevenue, type Revenue, revenueOf, untilToday } from "../price/revenue.ts";
import type { ReportAsk } from "./ask.ts";
import type { ReportLine } from "./rows.ts";
import { COUNTED, type GroupNames, MOST_GROUPS } from "./sums.ts";
import { tooMany } from "./too-many.ts";

/** The revenue from the org's customers, by their names. */
export type Revenues = ReadonlyMap<string, Revenue>;

interface RevenueFacts {
  readonly revenues: Revenues;
  readonly timeZone: string;
  readonly nowMs: number;
}

/** A part of the report's time in which all its times have one name each. */
interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
  /** By grouping. Null if it is by customer. */
  readonly labels: readonly (string | null)[];
}

/**
 * Returns whether a report is about customers as a whole, so that it can tell what they pay: it is by customer, or
 * about one, and otherwise only by times.
 */
export function isByCustomer({ groupBy, filters, without = [], tags = [] }: ReportAsk): boolean {
  const isOfOthers = groupBy.some((one) => one.kind !== "time" && !isCustomer(one));
  const filtered = Object.keys(filters);
  if (isOfOthers || without.length > 0 || tags.length > 0) return false;
  if (filtered.some((name) => name !== "customer_id")) return false;
  return filtered.length > 0 || groupBy.some(isCustomer);
}

const isCustomer = (one: ReportAsk["groupBy"][number]) => one.kind === "name" && one.name === "customer_id";

/**
 * The lines with what their customers pay. A customer that pays by the month has a line for each time, also where it spent
 * nothing, so that lines add up to the same whatever times a report is by.
 */
export function withRevenue(
  lines: readonly ReportLine[],
  ask: ReportAsk,
  earned: RevenueFacts,
): ReportLine[] | Refusal<"validation_failed"> {
  const { filters } = ask;
  const fees = feesOf(ask, earned);
  if (isRefusal(fees)) return fees;
  const at = ask.groupBy.findIndex(isCustomer);
  const customerOf = (names: GroupNames) => names[at] ?? filters.customer_id ?? null;
  const known = new Set(lines.map(({ names }) => JSON.stringify(names)));
  const silent = [...fees.values()].filter(({ names }) => !known.has(JSON.stringify(names)));
  const all = [...lines, ...silent.map(({ names }) => emptyLine(names))];
  if (all.length > MOST_GROUPS) return tooMany();
  return all.map((line) => {
    const revenue = earned.revenues.get(customerOf(line.names) ?? "");
    if (revenue === undefined) return { ...line, worth: null };
    const fee = fees.get(JSON.stringify(line.names))?.nanos ?? 0n;
    const nanos = fee + revenueOf({ ...revenue, perMonth: null }, { ...ask, ...earned }, line.nanos);
    return { ...line, worth: { revenue: nanos, margin: nanos - line.nanos } };
  });
}

interface Fee {
  readonly names: GroupNames;
  nanos: bigint;
}

/** Returns what is paid by the month, for each line that has a part of it. */
function feesOf(
  ask: ReportAsk,
  { revenues, timeZone, nowMs }: RevenueFacts,
): Map<string, Fee> | Refusal<"validation_failed"> {
  const only = ask.filters.customer_id;
  const paying = [...revenues].filter(([id]) => only === undefined || id === only);
  const range = untilToday({ fromMs: ask.fromMs, toMs: ask.toMs, timeZone }, nowMs);
  const stretches = stretchesIn(ask, range.toMs);
  const fees = new Map<string, Fee>();
  for (const [id, { perMonth }] of paying) {
    if (perMonth === null) continue;
    for (const { labels, ...part } of stretches) {
      const names = labels.map((label, at) => (ask.groupBy[at]?.kind === "time" ? label : id));
      const key = JSON.stringify(names);
      const fee = fees.get(key) ?? { names, nanos: 0n };
      fee.nanos += accrueRevenue(perMonth, { ...part, timeZone });
      fees.set(key, fee);
      if (fees.size > MOST_GROUPS) return tooMany();
    }
  }
  return fees;
}

function stretchesIn({ fromMs, groupBy }: ReportAsk, toMs: number): Stretch[] {
  const times = groupBy.map((one) => (one.kind === "time" ? one.stretches : null));
  const starts = new Set([fromMs, ...times.flatMap((time) => time?.starts ?? [])]);
  const bounds = [...starts].filter((ms) => ms >= fromMs && ms < toMs).toSorted((one, other) => one - other);
  return bounds.map((start, at) => ({
    fromMs: start,
    toMs: bounds[at + 1] ?? toMs,
    labels: times.map((time) => {
      if (time === null) return null;
      return time.labels[time.starts.findLastIndex((ms) => ms <= start)] ?? null;
    }),
  }));
}

function emptyLine(names: GroupNames): ReportLine {
  return { names, nanos: 0n, runs: 0, tokens: 0, counts: Array<number>(COUNTED.length).fill(0) };
}
