import { DAY_MS } from "../../contract/durations.ts";
import { parseMoment } from "../../contract/list.ts";
import type { Call } from "../../edge/request/call.ts";
import { type EarnedDays, monthToDate } from "../../domain/price/revenue.ts";

/**
 * Returns whether the caller may know what customers pay: whoever reads for the organization. Not support, nor a
 * customer itself, to whom the margin is nobody's business.
 */
export function showsRevenue({ caller }: Pick<Call, "caller">): boolean {
  return caller !== null && caller.support === undefined && caller.customer === undefined;
}

export interface DayBounds {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The days whose revenue is in the reply. Null if the caller may not see revenue. */
export function earnedDays(
  call: Pick<Call, "caller" | "startedAt">,
  { from, to }: DayBounds,
): EarnedDays | null {
  if (!showsRevenue(call)) return null;
  const usual = monthToDate(call.startedAt + (call.caller?.org?.snapshot.clockOffsetMs ?? 0));
  return { fromMs: dayOf(from) ?? usual.fromMs, toMs: dayOf(to) ?? usual.toMs };
}

function dayOf(text: string | undefined): number | null {
  return text === undefined ? null : Math.floor((parseMoment(text) ?? 0) / DAY_MS) * DAY_MS;
}
