import { type Dimension, DIMENSION_NAMES, TAG_PREFIX } from "../../contract/dimensions.ts";
import { isRefusal } from "../../contract/refusal.ts";
import { parseRunFilter } from "../../contract/run-filters.ts";
import { isReportTime, type UsageReport } from "../../contract/resources/usage/usage-report.ts";
import type { ReportGrouping, ReportAsk } from "../../domain/usage-report/ask.ts";
import { toRevenue } from "../../domain/price/revenue.ts";
import { isByCustomer, type Revenues, withRevenue } from "../../domain/usage-report/revenue.ts";
import {
  csvOf,
  figuresOf,
  linesOf,
  type ReportLine,
  sortLines,
  totalOf,
} from "../../domain/usage-report/rows.ts";
import { stretchesOf } from "../../domain/usage-report/stretches.ts";
import type { OrgDoor } from "../../edge/object/org-door.ts";
import { reply } from "../../edge/request/operation.ts";
import { collect } from "./collect.ts";
import { type Range, rangeOf } from "./range.ts";

const DEFAULT_ROWS = 1000;
const FILTER_NAMES = [...DIMENSION_NAMES, "tag", "without"];

type Query = Readonly<Partial<Record<string, string>>> & { readonly group_by: string };
interface ReportOptions {
  /** How many groups. */
  readonly limit: number | undefined;
  readonly nowMs: number;
  /** True if the caller may know what customers pay. */
  readonly showsRevenue: boolean;
}

/** The report that a query asks for. */
export async function reportOf(
  org: OrgDoor,
  query: Query,
  { limit = DEFAULT_ROWS, nowMs, showsRevenue }: ReportOptions,
) {
  const range = rangeOf({ from: query["from"], to: query["to"], timezone: query["timezone"] }, nowMs);
  if (isRefusal(range)) return range;
  const groupBy = query.group_by.split(",");
  const ask: ReportAsk = {
    fromMs: range.fromMs,
    toMs: range.toMs,
    groupBy: groupBy.map((name) => groupingOf(name, range)),
    ...filtersOf(query),
  };
  const collected = await collect(org, { ask, timeZone: range.timeZone });
  if (isRefusal(collected)) return collected;
  const isWorth = showsRevenue && isByCustomer(ask);
  const spent = linesOf(collected.sums, collected.totals);
  const lines = isWorth
    ? await addRevenue(org, { lines: spent, ask, timeZone: range.timeZone, nowMs })
    : spent;
  if (isRefusal(lines)) return lines;
  const [first = ""] = groupBy;
  const all = sortLines(lines, query["sort"] ?? (isReportTime(first) ? first : "cost_usd"));
  const shown = all.slice(0, limit);
  if (query["format"] === "csv") return csvReply(csvOf(groupBy, shown, isWorth));
  const report: UsageReport = {
    from: new Date(range.fromMs).toISOString(),
    to: new Date(range.toMs).toISOString(),
    timezone: range.timeZone,
    group_by: groupBy,
    deleted_before: collected.keptFromMs === null ? null : new Date(collected.keptFromMs).toISOString(),
    includes_deleted: collected.includesDeleted,
    groups: lines.length,
    totals: figuresOf(totalOf(lines, isWorth)),
    data: shown.map((line) => {
      const names: Record<string, string | null> = {};
      for (const [at, name] of groupBy.entries()) names[name] = line.names[at] ?? null;
      return Object.assign(names, figuresOf(line));
    }),
  };
  return reply(200, report);
}

interface Spent {
  readonly lines: readonly ReportLine[];
  readonly ask: ReportAsk;
  readonly timeZone: string;
  readonly nowMs: number;
}

/** The lines with what their customers pay. */
async function addRevenue(org: OrgDoor, { lines, ask, timeZone, nowMs }: Spent) {
  const answer = await org.query("listRevenues", { customerId: ask.filters.customer_id ?? null });
  if (isRefusal(answer)) return answer;
  const revenues: Revenues = new Map(
    answer.body.revenues.map((row) => [row.customer_id, toRevenue(row)] as const),
  );
  return withRevenue(lines, ask, { revenues, timeZone, nowMs });
}

function groupingOf(name: string, range: Range): ReportGrouping {
  if (isReportTime(name)) return { kind: "time", stretches: stretchesOf(name, range) };
  if (name.startsWith(TAG_PREFIX)) return { kind: "tag", name: name.slice(TAG_PREFIX.length) };
  return { kind: "name", name: name as Dimension };
}

function filtersOf(query: Query): Pick<ReportAsk, "filters" | "without" | "tags"> {
  const given = FILTER_NAMES.map((name) => [name, query[name]] as const);
  const { names, without, tags } = parseRunFilter(Object.fromEntries(given));
  return { filters: Object.fromEntries(names), without, tags };
}

function csvReply(text: string) {
  const stream = new Blob([text]).stream() as ReadableStream<Uint8Array>;
  return { status: 200, stream, media: "text/csv; charset=utf-8" } as const;
}
