import type { Refusal } from "../../contract/refusal.ts";
import { Refused } from "../errors.ts";

/** For a call that nobody decides, where its owner lets such calls pass. */
export function ungovernedAllow() {
  return {
    decision: "allow",
    decision_id: `dec_${crypto.randomUUID()}`,
    reservation: null,
    limits: [],
    evaluated_at: new Date().toISOString(),
  } as const;
}

/** A refusal as the client throws one of the service. */
export function toRefused(
  { code, message, details, status, retryAfterSeconds }: Refusal,
  trace: string | null,
): Refused {
  const { retry_after_seconds: seconds = retryAfterSeconds } = details as { retry_after_seconds?: number };
  const headers = new Headers(seconds === undefined ? {} : { "retry-after": String(seconds) });
  if (trace !== null) headers.set("x-svc-trace-id", trace);
  return new Refused({ code, message, details }, { status, headers });
}
