import type { DecidedAt } from "../../contract/decision.ts";
import { DECISION_DENIALS } from "../../contract/decision-codes.ts";
import { DECIDED_HEADER } from "../../contract/headers.ts";
import { decisionSeries } from "../../contract/metrics.ts";
import type { Call } from "../request/call.ts";
import { counters } from "../../counters.ts";

export const DENIALS: ReadonlySet<string> = new Set(DECISION_DENIALS);

/**
 * Where a decision was made. A decision is recognized by the header that says it. Null if it is a dry run, or something
 * else.
 */
export function placeOf({ headers, body }: Pick<Call, "headers" | "body">): DecidedAt | null {
  const place = headers[DECIDED_HEADER];
  const isDry = (body as { dry_run?: unknown } | undefined)?.dry_run === true;
  return !isDry && (place === "edge" || place === "object") ? place : null;
}

export function countDecision(call: Call, code: string | null): void {
  const place = placeOf(call);
  if (place === null) return;
  if (code === null) counters.count(decisionSeries("allow", null, place));
  else if (DENIALS.has(code)) counters.count(decisionSeries("deny", code, place));
}
