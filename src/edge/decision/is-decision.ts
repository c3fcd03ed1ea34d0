import { DECISION } from "../../contract/decision.ts";

/** A host and this path, with or without a query, which a decision does not read. */
const DECISION_URL = new RegExp(`^https?://[^/?#\\\\@]+${DECISION.path}(?:[?#]|$)`);
/** The one seen last: most callers use the same host, and comparing is cheaper than matching. */
let decisionUrl = "";

/** Returns whether a request asks for one decision. A path that is spelled differently is left to the router. */
export function isDecision({ method }: Request, url: string): boolean {
  if (method !== DECISION.method) return false;
  if (url === decisionUrl) return true;
  if (!DECISION_URL.test(url)) return false;
  decisionUrl = url;
  return true;
}
