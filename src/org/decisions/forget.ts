import { ENDED_HOLD_KEPT_MS, EXPIRED_HOLD_KEPT_MS } from "../../domain/run/retention.ts";
import { noteForgotten } from "./forgotten.ts";
import { toHoldRow, HOLDS, type HoldRow } from "./table.ts";

const PAGES_AT_ONCE = 16;

/**
 * A settled or released hold is remembered for repeated requests, as long as idempotent responses. An expired hold may
 * still be settled by a late run, and is kept for a week.
 */
function isForgotten(
  { status, ended_at: endedAt }: Pick<HoldRow, "status" | "ended_at">,
  now: number,
): boolean {
  const keptMs = status === "expired" ? EXPIRED_HOLD_KEPT_MS : ENDED_HOLD_KEPT_MS;
  return status !== "open" && (endedAt ?? 0) + keptMs <= now;
}

/** Forgets holds in the pages after a number. Returns the number to continue from; null if there are no more pages. */
export function forgetAfter(sql: SqlStorage, number: number, now: number): number | null {
  const pages = HOLDS.pages(sql);
  let last = number;
  for (let read = 0; read < PAGES_AT_ONCE; read += 1) {
    const page = pages.after(last);
    if (page === null) return null;
    const over = page.rows.filter((row) => isForgotten(toHoldRow(row), now));
    if (over.length > 0) noteForgotten(sql, Math.max(...over.map((row) => toHoldRow(row).ended_at ?? 0)));
    pages.change([], over);
    ({ last } = page);
  }
  return last;
}
