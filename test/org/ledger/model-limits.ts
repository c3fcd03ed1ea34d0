import type { Attempt, Limit, Phase, Scopes } from "./model-rows.ts";

/** What a limit of the model counts: whose, in which window, and how much. */

export const HOUR_MS = 3_600_000;
/** A Wednesday, half a minute past noon. The clock moves in whole hours, so the seconds of a test cross no boundary. */
export const BASE_MS = Date.parse("2027-03-31T12:00:30Z");

/** Half a day of the clock, which changes at noon and at midnight. */
export function halfDayOf(hour: number): number {
  return Math.floor((BASE_MS + hour * HOUR_MS) / (12 * HOUR_MS));
}

const ORDER = [
  "plan_runs",
  "plan_tokens",
  "chain_cost",
  "chain_depth",
  "chain_tokens",
  "quota",
  "spend_cap",
  "budget",
  "customer_limit",
];
const SCOPES = ["org", "department", "workflow", "deployment", "customer", "chain", "match"];

export function isAsked(kind: Limit["kind"], phase: Phase): boolean {
  return phase === "run" || !/^(plan|chain)/.test(kind);
}

function isMatched({ match = {} }: Limit, scopes: Scopes): boolean {
  return Object.entries(match).every(([name, values]) =>
    values.includes(scopes[name as keyof typeof match] ?? "-"),
  );
}

export function windowOf(limit: Limit, hour: number): string {
  const days = (limit.anchorDay ?? 1) - 1;
  const at = new Date(BASE_MS + hour * HOUR_MS + limit.zoneMs - days * 24 * HOUR_MS);
  const month = at.getUTCMonth();
  switch (limit.period) {
    case "day":
      return at.toISOString().slice(0, 10);
    case "week":
      return String(Math.floor((at.getTime() / (24 * HOUR_MS) + 3) / 7));
    case "month":
      return at.toISOString().slice(0, 7);
    case "quarter":
      return `${at.getUTCFullYear()} ${Math.floor(month / 3)}`;
    case "year":
      return String(at.getUTCFullYear());
    case "total":
      return "";
    default:
      return limit.period satisfies never;
  }
}

export function subjectOf(limit: Limit, scopes: Scopes): string {
  if (limit.groupBy !== undefined) return JSON.stringify(limit.groupBy.map((name) => scopes[name] ?? null));
  if (limit.scopeId !== "*") return "";
  return (limit.scopeKind === "chain" ? scopes.chain : scopes.customer) ?? "";
}

export function amountOf(limit: Limit, attempt: Pick<Attempt, "cost" | "tokens">): bigint {
  if (limit.unit === "runs") return 1n;
  if (limit.unit === "tokens") return attempt.tokens;
  if (limit.kind === "plan_runs") return 1n;
  return limit.kind.endsWith("_tokens") ? attempt.tokens : attempt.cost;
}

/** Whether a limit by itself is about such a call. One for any customer yields to one for this customer. */
export function isTouched(limit: Limit, scopes: Scopes, limits: readonly Limit[]): boolean {
  if (limit.scopeKind === "org") return true;
  if (limit.scopeKind === "match") return isMatched(limit, scopes);
  const id = scopes[limit.scopeKind];
  if (id === undefined) return false;
  if (limit.scopeId !== "*") return limit.scopeId === id;
  return !limits.some((other) => other.scopeKind === limit.scopeKind && other.scopeId === id);
}

/** In the order in which limits are asked. */
export function inOrder(limits: readonly Limit[]): Limit[] {
  const rank = (one: Limit) => ORDER.indexOf(one.kind) * 10 + SCOPES.indexOf(one.scopeKind);
  return limits.toSorted((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1));
}
