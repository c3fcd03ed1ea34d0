import { formatUsd } from "../../domain/price/money.ts";
import type { StoredRefusal } from "../refusals/find.ts";

/** The details of a stored refusal. */
export type Details = Readonly<Record<string, string | number | null | undefined>>;

/** Returns why a check refused, with what was asked for and what was used, as far as the refusal says so. */
export function whyRefused({ code, nanos }: Pick<StoredRefusal, "code" | "nanos">, details: Details): string {
  if (code.startsWith("policy_") && typeof details["reason"] === "string") {
    return `${code}: ${details["reason"]}`;
  }
  if (code === "content_safety_blocked") return "It matched the input.";
  if (code === "rate_limited") {
    return `There was no room. There was some after ${details["retry_after_seconds"]} s.`;
  }
  const used = usedText(details);
  if (used === null) return `It refused with ${code}.`;
  const asked = askedText(details, nanos);
  return `There was no room${asked === null ? "" : ` for ${asked}`}: ${used}.`;
}

function askedText(details: Details, nanos: string | null): string | null {
  const attempted = details["attempted_usd"] ?? details["attempted"];
  if (details["reason"] === "depth") return `a depth of ${attempted}`;
  if (attempted !== undefined) return amountText(attempted, unitOf(details));
  return nanos === null || unitOf(details) !== "usd" ? null : `$${formatUsd(BigInt(nanos))}`;
}

function usedText(details: Details): string | null {
  const left = details["available_usd"];
  if (left !== undefined) return `$${left} was left`;
  const unit = unitOf(details);
  if (unit === "depth") return `the limit is ${details["limit"]}`;
  if (unit === "usd") {
    const limit = details["cap_usd"] ?? details["limit_usd"] ?? details["limit"];
    const spent = details["spent_usd"] ?? details["current"];
    return limit === undefined || spent === undefined ? null : `$${spent} of $${limit} was spent`;
  }
  const used = details["spent"] ?? details["used"] ?? details["current"];
  return used === undefined ? null : `${used} of ${amountText(details["limit"] ?? null, unit)} were used`;
}

function amountText(amount: string | number | null, unit: string): string {
  return unit === "usd" ? `$${amount}` : `${amount} ${unit}`.trim();
}

/** Returns what the refusing limit counts. A rate policy's refusal does not say. */
function unitOf(details: Details): string {
  const { unit, limit_kind: kind, reason, quota } = details;
  if (typeof unit === "string") return unit;
  if (typeof kind === "string") return kind;
  if (quota === "window") return "";
  return reason === "tokens" || reason === "depth" ? reason : "usd";
}
