import { DAY_MS } from "../../contract/durations.ts";
import { totalSpent } from "../../domain/meter/meter.ts";
import { windowAt } from "../../domain/time/period.ts";
import { type OverviewRecord, SPENT_DIGITS } from "../../platform/overview.ts";
import type { View } from "../kernel/door.ts";
import { entryNow } from "../meters/show.ts";
import { loadMeterRow } from "../meters/store.ts";
import { emptyMeterRow, storedPlanTerms } from "../plans/store.ts";
import { sumSpendOn } from "../runs/daily.ts";
import { dayOf } from "../runs/sums.ts";
import { isFailing, type SubscriptionRow } from "../webhooks/subscriptions.ts";

const DEPRECATED_FOR_MS = 30 * DAY_MS;
const MOST_SPENT = 10n ** BigInt(SPENT_DIGITS) - 1n;

/** Returns what the operator's overview shows of this org. `offsetMs`: how far its clock is ahead of the real one. */
export function overviewOf(view: View, lastCallAt: number | null, offsetMs: number): OverviewRecord {
  const month = windowAt("month", view.now);
  const { runs_limit, tokens_limit } = storedPlanTerms(view);
  return {
    orgId: view.orgId,
    monthEndsAt: (month.endMs ?? 0) - offsetMs,
    spent: spentSince(view, month.startMs),
    runsUsed: planUsageOf(view, "plan_runs"),
    runsLimit: runs_limit,
    tokensUsed: planUsageOf(view, "plan_tokens"),
    tokensLimit: tokens_limit,
    lastCallAt,
    failingWebhooks: failingWebhooks(view.sql),
    deprecatedCallers: deprecatedCallers(view),
    openSupportGrants: openGrants(view),
    toldAt: view.now - offsetMs,
  };
}

/** From the sums of at most 31 days. */
function spentSince({ sql, now }: View, startMs: number): string {
  const days: string[] = [];
  for (let at = startMs; at <= now; at += DAY_MS) days.push(dayOf(at));
  const spent = sumSpendOn(sql, days);
  const nanos = spent < 0n ? 0n : spent < MOST_SPENT ? spent : MOST_SPENT;
  return String(nanos).padStart(SPENT_DIGITS, "0");
}

function planUsageOf(view: View, id: "plan_runs" | "plan_tokens"): number {
  const row = loadMeterRow(view.sql, id, id) ?? emptyMeterRow(id, view.now);
  return Math.min(Number(totalSpent(entryNow(view, row).usage)), Number.MAX_SAFE_INTEGER);
}

function failingWebhooks(sql: SqlStorage): number {
  const all = sql.exec<SubscriptionRow>("SELECT * FROM webhook_subscriptions").toArray();
  return all.filter((row) => isFailing(sql, row)).length;
}

function deprecatedCallers({ sql, now }: View): number {
  return sql
    .exec<{ n: number }>(
      "SELECT count(DISTINCT caller) AS n FROM deprecated_calls WHERE last_at > ?",
      now - DEPRECATED_FOR_MS,
    )
    .one().n;
}

function openGrants({ sql, now }: View): number {
  return sql
    .exec<{ n: number }>(
      "SELECT count(*) AS n FROM support_grants WHERE closed_at IS NULL AND expires_at > ?",
      now,
    )
    .one().n;
}
