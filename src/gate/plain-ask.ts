import type { DecisionAsk } from "./ask.ts";

/**
 * Whether a body is a decision's, beyond doubt. Written out for speed: it says yes only to what the operation's shape
 * would take unchanged, and whatever it does not say yes to goes to that shape, which also explains.
 */
export function isPlainAsk(value: unknown): value is DecisionAsk {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const body = value as Record<string, unknown>;
  for (const name in body) {
    const field = body[name];
    switch (name) {
      case "request_id":
      case "action":
      case "workflow_id":
      case "deployment_id":
      case "department_id":
      case "customer_id":
      case "model":
        if (typeof field !== "string" || !ID.test(field)) return false;
        break;
      case "estimate":
        if (!isEstimate(field)) return false;
        break;
      case "hold_seconds":
        if (!isWhole(field, 30, 86_400)) return false;
        break;
      case "dry_run":
        if (typeof field !== "boolean") return false;
        break;
      default:
        return false;
    }
  }
  return body["estimate"] !== undefined;
}

const ID = /^[\x20-\x7e]{1,128}$/;
const USD = /^\d{1,9}(\.\d{1,9})?$/;
const MOST_TOKENS = 1_000_000_000;

function isEstimate(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const estimate = value as Record<string, unknown>;
  for (const name in estimate) {
    const field = estimate[name];
    if (name === "cost_usd") {
      if (typeof field !== "string" || !USD.test(field)) return false;
    } else if (name !== "input_tokens" && name !== "max_output_tokens") return false;
    else if (!isWhole(field, 0, MOST_TOKENS)) return false;
  }
  return true;
}

function isWhole(value: unknown, least: number, most: number): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= least && value <= most;
}
