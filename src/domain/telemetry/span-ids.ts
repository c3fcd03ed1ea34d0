import { createHash } from "node:crypto";

const TRACE_DIGITS = 32;
const SPAN_DIGITS = 16;

/** The same thing of the same org always has the same ids, so that a span that is sent again is the same span. */
function digits(count: number, orgId: string, kind: string, id: string): string {
  const hash = createHash("sha256").update(JSON.stringify([orgId, kind, id]));
  return hash.digest("hex").slice(0, count);
}

export function spanIdOf(orgId: string, kind: "run" | "refusal", id: string): string {
  return digits(SPAN_DIGITS, orgId, `${kind} span`, id);
}

/** For spans whose caller has no trace. */
export function traceIdOf(orgId: string, kind: "run" | "chain" | "refusal", id: string): string {
  return digits(TRACE_DIGITS, orgId, `${kind} trace`, id);
}
