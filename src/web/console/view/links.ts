import { DAY_MS } from "../../../contract/durations.ts";
import type { Range } from "./range.ts";

/** The runs behind a number, the most expensive first. */
export function runsAt(filters: Readonly<Record<string, string>>, range: Pick<Range, "from" | "to">): string {
  const { from, to } = range;
  return `/console/runs?${new URLSearchParams({ ...filters, from, to, sort: "-cost_usd" })}`;
}

/** The longest range that a list of runs can be asked for at once. */
const LONGEST_MS = 90 * DAY_MS;

/** A moment as the date that it begins, if it does. */
export const dateFrom = (moment: string): string => moment.replace(/T00:00:00(\.000)?Z$/, "");

/** The runs that a limit counted since its period began. */
export function runsChargedTo(
  limitId: string,
  period: { readonly period_start: string },
  filters: Readonly<Record<string, string>> = {},
): string {
  return runsChargedSince({ limit_id: limitId, ...filters }, period);
}

/** The runs that count in a period since it began, whichever limits there were. */
export function runsChargedSince(
  filters: Readonly<Record<string, string>>,
  period: { readonly period_start: string },
): string {
  const asked = { ...filters, charged_from: dateFrom(period.period_start) };
  return `/console/runs?${new URLSearchParams({ ...asked, sort: "-cost_usd" })}`;
}

/** The runs that started in a period. A period that is too long for one list has no end in it. */
export function runsIn(
  filters: Readonly<Record<string, string>>,
  period: { readonly period_start: string; readonly period_end: string | null },
): string {
  const { period_start: start, period_end: end } = period;
  const isShort = end !== null && Date.parse(end) - Date.parse(start) <= LONGEST_MS;
  const range = { from: dateFrom(start), ...(isShort ? { to: dateFrom(end) } : {}) };
  return `/console/runs?${new URLSearchParams({ ...filters, ...range, sort: "-cost_usd" })}`;
}

/** The refusals behind a number. */
export function refusalsAt(filters: Readonly<Record<string, string>>): string {
  return `/console/refusals?${new URLSearchParams(filters)}`;
}

export const customerAt = (id: string): string => `/console/customers/${encodeURIComponent(id)}`;

const PAGES: readonly (readonly [prefix: string, path: string])[] = [
  ["bud_", "/console/budgets/"],
  ["clm_", "/console/customer-limits/"],
  ["rule_", "/console/policies/"],
  ["key_", "/console/keys/"],
  ["sub_", "/console/webhooks/"],
  ["apr_", "/console/approvals/"],
];

/** The page of one thing, by its id. Null if it has none of its own. */
export function ownPageOf(id: string): string | null {
  const path = PAGES.find(([start]) => id.startsWith(start))?.[1];
  return path === undefined ? null : path + encodeURIComponent(id);
}

/** The page of a limit, a rule or a key, by its id. Limits that an org has one of are set on the same page. */
export function pageOf(id: string): string {
  const own = ownPageOf(id);
  if (own !== null) return own;
  if (id.startsWith("rlp_")) return "/console/rate-limits";
  if (id.startsWith("pack_") || id === "credits") return "/console/packs";
  return ["spend_cap", "quota", "plan_runs", "plan_tokens"].includes(id) || id.startsWith("chain_")
    ? "/console/limits"
    : "/console/safety";
}
