import { createHash } from "node:crypto";
import { type Refusal, refuse } from "./refusal.ts";

/** Counters, and what follows from them: a budget that is being spent from is still the same version of the budget. */
const COUNTED = [
  "spent_usd",
  "reserved_usd",
  "available_usd",
  "balance_usd",
  "overdrawn_usd",
  "remaining_usd",
  "runs_used",
  "tokens_used",
  "period_start",
  "period_end",
  "resets_at",
  "last_used_at",
];

/** Shown in the answer that makes them, and never again. */
const SHOWN_ONCE = ["key", "secret"];

/** The strong ETag of a resource's current version: of what was configured, not of what was counted. */
export function etagOf(body: object): string {
  const left = new Set([...COUNTED, ...SHOWN_ONCE]);
  // Beside counters, a status says how they stand. Anywhere else it is a state that somebody set.
  if ("spent_usd" in body) left.add("status");
  const stable = JSON.stringify(Object.entries(body).filter(([name]) => !left.has(name)));
  return `"${createHash("sha256").update(stable).digest("base64url").slice(0, 22)}"`;
}

/** Why a write under an `If-Match` header (null: there is none) may not happen. `*` holds for anything that exists. */
export function ifMatchRefusal(header: string | null, current: object | null): Refusal<"conflict"> | null {
  if (header === null) return null;
  if (current === null) {
    return refuse("conflict", {}, { message: "If-Match was sent, but the resource does not exist." });
  }
  const etag = etagOf(current);
  if (header.split(",").some((tag) => tag.trim() === "*" || tag.trim() === etag)) return null;
  return refuse("conflict", {}, { message: "The resource has changed: its ETag does not match If-Match." });
}
