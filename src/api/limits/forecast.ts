import { MATCH_SCOPE } from "../../contract/scopes.ts";
import { isRefusal } from "../../contract/refusal.ts";
import type { LimitInUse, LimitsInUse } from "../../contract/resources/limits.ts";
import { outlookFor } from "../../domain/forecast/budgets.ts";
import { type Allowance, exhaustionOf } from "../../domain/forecast/exhaustion.ts";
import { simulateFutures } from "../../domain/forecast/forecast.ts";
import type { Path } from "../../domain/forecast/paths.ts";
import { dayOf } from "../../domain/forecast/series.ts";
import { reply } from "../../edge/request/operation.ts";
import type { OrgDoor } from "../../edge/object/org-door.ts";

const HORIZON_DAYS = 30;
/** A baseline has no returns: capacity stays as it is. */
const BASELINE = {
  scenario: "baseline",
  growthRate: 0,
  returns: { exponent: 1, source: "assumed" },
  allowances: [],
} as const;

/** A budget that matches calls by other names than a scope is found by its id, and each of its counters by its group. */
const scopeOf = ({ id, scope_kind, scope_id }: LimitInUse) => {
  if (scope_kind === MATCH_SCOPE) return { scopeKind: scope_kind, scopeId: id, group: scope_id };
  return { scopeKind: scope_id === null ? "org" : scope_kind, scopeId: scope_id ?? "" };
};
const keyOf = (limit: LimitInUse) => JSON.stringify(scopeOf(limit));

/** Adds the day on which each limit is used up, by the forecast of what it counts. One forecast serves all limits of a scope. */
export async function withForecasts(org: OrgDoor, limits: LimitsInUse, nowMs: number) {
  const open = limits.data.filter(isForecast);
  const scopes = [...new Map(open.map((limit) => [keyOf(limit), scopeOf(limit)])).values()];
  const read = await org.query("scopeDays", { scopes });
  if (isRefusal(read)) return read;
  const paths = new Map<string, readonly Path[]>();
  for (const { scope, days } of read.body.data) {
    const outlook = outlookFor(days, nowMs, "usd", HORIZON_DAYS);
    if (outlook !== null) paths.set(JSON.stringify(scope), simulateFutures(outlook, BASELINE));
  }
  return reply(200, {
    ...limits,
    data: limits.data.map((limit) => {
      const own = isForecast(limit) ? paths.get(keyOf(limit)) : undefined;
      return own === undefined ? limit : { ...limit, forecast: forecastOf(limit, own, nowMs) };
    }),
  });
}

/** In dollars. */
const isForecast = ({ limit }: LimitInUse) => typeof limit === "string";

function forecastOf(limit: LimitInUse, paths: readonly Path[], nowMs: number): LimitInUse["forecast"] {
  const today = dayOf(nowMs);
  const left = Number(limit.available);
  const allowance: Allowance = { limit: Number(limit.limit), left, resets: [] };
  const { p50Date, p90Date } = exhaustionOf(paths, today, allowance);
  const endsMs = limit.resets_at === null ? Infinity : Date.parse(limit.resets_at);
  const before = (date: string | null) => (date !== null && Date.parse(date) < endsMs ? date : null);
  return { p50_date: before(p50Date), p90_date: before(p90Date) };
}
