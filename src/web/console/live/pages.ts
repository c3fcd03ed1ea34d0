/**
 * Pages that change while one watches, and how many seconds lie between two refreshes at least. Pages that read the audit trail
 * are not among them: each reading is an entry.
 */
const LIVE: ReadonlyMap<string, number> = new Map([
  ["/console", 15],
  ["/console/runs", 10],
  ["/console/refusals", 5],
  ["/console/customers", 10],
  ["/console/customers/:customer_id", 10],
  ["/console/budgets", 5],
  ["/console/customer-limits", 5],
  ["/console/limits", 5],
  ["/console/rate-limits", 5],
  ["/console/approvals", 5],
  ["/console/approvals/:id", 5],
  ["/console/webhooks", 5],
  ["/console/webhooks/:id", 5],
  ["/console/webhooks/:id/deliveries/:delivery", 5],
  ["/console/events", 5],
]);

/** The header of a refresh that nobody asked for. */
export const LIVE_HEADER = "x-sluice-live";

/** The seconds between refreshes of a page. Null: it stays as it is, like an answer to a form or a later page of a list. */
export function secondsOf(route: string, request: Request, status: number): number | null {
  const isFirst = request.method === "GET" && !new URL(request.url).searchParams.has("cursor");
  return isFirst && status === 200 ? (LIVE.get(route) ?? null) : null;
}
