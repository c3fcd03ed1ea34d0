import { DAY_MS } from "../../contract/durations.ts";
import { NAMED_FIELDS } from "../../contract/scopes.ts";
import type { ReportAsk, Stretches } from "./ask.ts";

/** A report's question to the daily sums: full days in UTC, of all names of a kind, or of one. */
export interface DailyAsk {
  readonly fromDay: string;
  /** Not included. */
  readonly toDay: string;
  /** `org`, `model` or a scope. */
  readonly kind: string;
  readonly only: string | null;
  /** In the order of the groupings; null stands for the name. */
  readonly groupBy: readonly (Stretches | null)[];
}

/** The kinds of names for which sums are kept by day. */
export const DAILY_KINDS: ReadonlyMap<string, string> = new Map([
  ["model", "model"],
  ...NAMED_FIELDS.map(([kind, field]) => [field, kind] as const),
]);

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** A report of full days in UTC, and of what is before and after them. */
export interface DaysAsk {
  readonly days: DailyAsk;
  readonly edges: readonly ReportAsk[];
}

/** The same report, with its full days asked of the daily sums. Null if it has none, or they cannot tell. */
export function daysAskOf(ask: ReportAsk, timeZone: string): DaysAsk | null {
  const fromMs = Math.ceil(ask.fromMs / DAY_MS) * DAY_MS;
  const toMs = Math.floor(ask.toMs / DAY_MS) * DAY_MS;
  if (fromMs >= toMs) return null;
  // Without a grouping by time it does not matter whose days they are.
  const zone = ask.groupBy.some(({ kind }) => kind === "time") ? timeZone : "UTC";
  const days = dailyAskOf({ ...ask, fromMs, toMs }, zone);
  if (days === null) return null;
  const edges = [
    { ...ask, toMs: fromMs },
    { ...ask, fromMs: toMs },
  ];
  return { days, edges: edges.filter((edge) => edge.fromMs < edge.toMs) };
}

/**
 * The same report, asked of the daily sums. Null if they cannot tell, because it is by more than one name, or by other
 * days.
 */
export function dailyAskOf(ask: ReportAsk, timeZone: string): DailyAsk | null {
  const { fromMs, toMs, groupBy, filters, tags = [], without = [] } = ask;
  if (timeZone !== "UTC" || fromMs % DAY_MS !== 0 || toMs % DAY_MS !== 0) return null;
  if (tags.length > 0 || without.length > 0 || groupBy.some(({ kind }) => kind === "tag")) return null;
  const grouped = groupBy.flatMap((one) => (one.kind === "name" ? [one.name] : []));
  const [name, ...others] = new Set([...grouped, ...Object.keys(filters)]);
  const kind = name === undefined ? "org" : DAILY_KINDS.get(name);
  if (kind === undefined || others.length > 0) return null;
  return {
    fromDay: dayOf(fromMs),
    toDay: dayOf(toMs),
    kind,
    only: Object.values(filters)[0] ?? null,
    groupBy: groupBy.map((one) => (one.kind === "time" ? one.stretches : null)),
  };
}
