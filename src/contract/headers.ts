import { JSON_MEDIA } from "./bounds.ts";

/** Identifies a request in the log. */
export const TRACE_HEADER = "x-svc-trace-id";
/** The region that answered. */
export const REGION_HEADER = "x-svc-region";
/** Where a decision was made. */
export const DECIDED_HEADER = "x-svc-decided";

/** Asks for all checks of a change, and for the answer that it would get, without making it. */
export const DRY_RUN_HEADER = "x-svc-dry-run";

/** These headers tell what a decision that was asked in headers has reserved. */
export const RESERVATION_HEADERS = {
  id: "x-sluice-reservation-id",
  amount: "x-sluice-reserved-usd",
  expires: "x-sluice-reserved-until",
  output: "x-sluice-max-output-tokens",
  decision: "x-sluice-decision-id",
} as const;
/** The body of a refusal, for proxies that see only headers. */
export const REFUSAL_HEADER = "x-sluice-refusal";
const LONGEST_REFUSAL_HEADER = 3000;

/** A JSON text as the value of a header: all of it is ASCII. None if proxies would not take one as long. */
export function refusalInHeader(text: string): Record<string, string> {
  const value = text.replaceAll(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return value.length > LONGEST_REFUSAL_HEADER ? {} : { [REFUSAL_HEADER]: value };
}

/** The headers of every JSON response, except its trace id. */
export function standardHeaders(region: string): Record<string, string> {
  return { "content-type": JSON_MEDIA, "cache-control": "no-store", [REGION_HEADER]: region };
}
