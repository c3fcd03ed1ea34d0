import { DECISION_DENIALS } from "../contract/decision-codes.ts";
import { DECIDED_HEADER } from "../contract/headers.ts";
import { decisionSeries } from "../contract/metrics.ts";
import type { Call } from "./call.ts";
import { counters } from "../counters.ts";

export const DENIALS: ReadonlySet<string> = new Set(DECISION_DENIALS);

/** A decision is recognized by the header that says where it was made. Dry runs and bad requests have none. */
export function countDecision(call: Call, code: string | null): void {
  const place = call.headers[DECIDED_HEADER];
  if (place !== "edge" && place !== "object") return;
  if ((call.body as { dry_run?: unknown } | undefined)?.dry_run === true) return;
  if (code === null) counters.count(decisionSeries("allow", null, place));
  else if (DENIALS.has(code)) counters.count(decisionSeries("deny", code, place));
}
