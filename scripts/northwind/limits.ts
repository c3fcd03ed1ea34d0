import { DAY_MS, DAYS, dollarsOf, type MadeRun, UNUSUAL } from "./runs.ts";

/** Limits by what they are compared with: "1.05 times what was spent" is a limit that is nearly reached. */

const dollarsText = (dollars: number): string => dollars.toFixed(2);

/** Of a small customer. */
export const SMALL_LIMIT = { customer_id: "acme-air", limit_usd: "40.00", period: "month" };

const agreed = (customer_id: string, dollars: number) => ({
  customer_id,
  limit_usd: dollarsText(dollars),
  period: "total",
  alert_thresholds: ["0.8", "0.95"],
});

/** The total that is agreed with the largest customer in the end. It has nearly used that. */
export const agreedInTheEnd = (runs: readonly MadeRun[]): string =>
  dollarsText(1.04 * dollarsOf(runs, { customer_id: UNUSUAL.customer }));

/**
 * Limits that exist before the first run. What is agreed with the largest customer at first is used up when it has run
 * out, and one customer has exceeded what was agreed.
 */
export function agreedLimits(runs: readonly MadeRun[], runsOutMs: number): object[] {
  const before = runs.filter(({ body }) => Date.parse(body.ended_at) <= runsOutMs);
  return [
    agreed(UNUSUAL.customer, 0.97 * dollarsOf(before, { customer_id: UNUSUAL.customer })),
    agreed("initech", 0.93 * dollarsOf(runs, { customer_id: "initech" })),
    SMALL_LIMIT,
    { customer_id: "*", limit_usd: "500.00", period: "month" },
  ];
}

/** What a budget is where nothing was spent in the month yet, as in its first minutes. */
const UNSPENT_DOLLARS = 25;

const usd = (dollars: number): string => dollarsText(dollars < 0.01 ? UNSPENT_DOLLARS : dollars);

export interface NewBudget {
  readonly name: string;
  readonly scope_kind?: string;
  readonly scope_id?: string;
  readonly match?: object;
  readonly group_by?: readonly string[];
  readonly unit?: string;
  readonly limit_usd?: string;
  readonly limit?: number;
  readonly period: "month";
  readonly alert_thresholds: readonly string[];
  readonly mode?: "shadow";
}

/** Budgets of the current calendar month, by what was spent in it. */
export function billedBudgets(runs: readonly MadeRun[]): NewBudget[] {
  const billed = runs.filter(({ stage }) => stage !== "earlier");
  return monthBudgets((which) => dollarsOf(billed, which));
}

/** The same budgets as they were before, by what is spent in a month on average. */
export function firstBudgets(runs: readonly MadeRun[]): NewBudget[] {
  return monthBudgets((which) => (30 / DAYS) * dollarsOf(runs, which));
}

function monthBudgets(spent: (which: Partial<MadeRun["body"]>) => number): NewBudget[] {
  const month = { period: "month" as const, alert_thresholds: ["0.5", "0.8", "1"] };
  const scoped = (name: string, scope_kind: string, scope_id: string, dollars: number) => ({
    name,
    scope_kind,
    scope_id,
    limit_usd: usd(dollars),
    ...month,
  });
  return [
    { name: "Everything", scope_kind: "org", limit_usd: usd(1.45 * spent({})), ...month },
    scoped("Support", "department", "support", 1.06 * spent({ department_id: "support" })),
    scoped("Research", "department", "research", 1.5 * spent({ department_id: "research" })),
    scoped(
      "Contract review",
      "workflow",
      "contract-review",
      0.94 * spent({ workflow_id: "contract-review" }),
    ),
    {
      ...scoped(
        "Nightly evals (trial)",
        "workflow",
        "nightly-eval",
        0.8 * spent({ workflow_id: "nightly-eval" }),
      ),
      mode: "shadow" as const,
    },
    {
      name: "Claude, each user",
      match: { model: "claude-*" },
      group_by: ["user_id"],
      limit_usd: usd(0.45 * spent({ provider: "anthropic" })),
      ...month,
    },
    { name: "Runs in staging", match: { deployment_id: "staging" }, unit: "runs", limit: 2_500, ...month },
  ];
}

/** Prepaid credits: one customer has plenty, one is nearly out, and a pack is yet to start. */
export function creditPacks(runs: readonly MadeRun[], nowMs: number): object[] {
  const billed = runs.filter(({ stage }) => stage !== "earlier");
  const pack = (customer_id: string, times: number) => ({
    customer_id,
    amount_usd: dollarsText(Math.max(1, times * dollarsOf(billed, { customer_id }))),
    alert_thresholds: ["0.8"],
  });
  const next = new Date(nowMs + 10 * DAY_MS).toISOString();
  return [
    pack("hooli", 1.9),
    { ...pack("umbrella", 0.4), priority: 1, expires_at: new Date(nowMs + 25 * DAY_MS).toISOString() },
    { ...pack("umbrella", 0.62), priority: 2 },
    { ...pack("umbrella", 0.5), priority: 3, effective_at: next },
    pack("wonka", 1.3),
  ];
}

/** No day exceeded the cap. Today's is at most two thirds used. */
export function dailyCap(runs: readonly MadeRun[]): object {
  const days = Map.groupBy(runs, ({ body }) => body.started_at.slice(0, 10));
  const most = Math.max(...[...days.values()].map((some) => dollarsOf(some)));
  const today = dollarsOf(runs.filter(({ stage }) => stage === "today"));
  return {
    cap_usd: String(Math.ceil(Math.max(1.5 * today, 1.1 * most))),
    timezone: "UTC",
    alert_thresholds: ["0.5", "0.9"],
  };
}
