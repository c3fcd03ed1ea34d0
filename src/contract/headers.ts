import { JSON_MEDIA } from "./bounds.ts";
import type { DecidedAt } from "./decision.ts";

/** Identifies a request in the log. */
export const TRACE_HEADER = "x-svc-trace-id";
/** The region that answered. */
export const REGION_HEADER = "x-svc-region";
/** Where a decision was made. */
export const DECIDED_HEADER = "x-svc-decided";

/** The headers of every JSON response, except its trace id. */
export function standardHeaders(region: string): Record<string, string> {
  return { "content-type": JSON_MEDIA, "cache-control": "no-store", [REGION_HEADER]: region };
}

/** The same for a decision. */
export function verdictHeaders(region: string, place: DecidedAt): Record<string, string> {
  return { ...standardHeaders(region), [DECIDED_HEADER]: place };
}
