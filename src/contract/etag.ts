import { hash } from "node:crypto";
import { type Refusal, refuse } from "./refusal.ts";

/** Counters and fields derived from them. Spending from a budget does not make a new version of it. */
const COUNTED = [
  "spent",
  "reserved",
  "available",
  "over",
  "spent_usd",
  "reserved_usd",
  "available_usd",
  "over_usd",
  "counters",
  "balance_usd",
  "overdrawn_usd",
  "remaining_usd",
  "runs_used",
  "tokens_used",
  "period_start",
  "period_end",
  "resets_at",
  "last_used_at",
  "failing",
  "read_used",
];

/** How a customer stands, beside what was set of it. */
const STANDING = ["limits", "credits", "last_run", "last_run_on", "revenue_usd", "margin_usd"];

/** Counters of the entries of a list. */
const COUNTED_IN: Readonly<Record<string, readonly string[]>> = {
  policies: ["used", "resets_at", "busiest"],
};

/** Returned only in the response that creates them. */
const SHOWN_ONCE = ["key", "secret"];

const LEFT_OUT: ReadonlySet<string> = new Set([...COUNTED, ...SHOWN_ONCE]);

/** The strong ETag of a resource's current version. It covers the configuration, not the counters. */
export function etagOf(body: object): string {
  return etagOfVersion(versionOf(body));
}

export function etagOfVersion(version: string): string {
  return `"${hash("sha256", version, "base64url").slice(0, 22)}"`;
}

/** What an ETag covers, as text: the same as long as the resource has not changed. */
export function versionOf(body: object): string {
  // Next to counters, a status is derived from them. Elsewhere it is a state that someone set.
  const isCounted = "spent_usd" in body;
  const isCustomer = "last_run_on" in body;
  const kept = Object.entries(body).filter(
    ([name]) =>
      !LEFT_OUT.has(name) && !(isCounted && name === "status") && !(isCustomer && STANDING.includes(name)),
  );
  return JSON.stringify(kept.map(([name, value]) => [name, withoutCounters(name, value)]));
}

function withoutCounters(name: string, value: unknown): unknown {
  const counted = COUNTED_IN[name];
  if (counted === undefined || !Array.isArray(value)) return value;
  return value.map((entry: object) => Object.entries(entry).filter(([field]) => !counted.includes(field)));
}

/** Returns why a write that must make something new (`If-None-Match: *`) is refused. */
export function newOnlyRefusal(current: object | null): Refusal<"conflict"> | null {
  if (current === null) return null;
  return refuse("conflict", {}, { message: "If-None-Match was sent, but the resource exists." });
}

/** Returns why a write with this `If-Match` header (null: none) is refused. `*` matches anything that exists. */
export function ifMatchRefusal(header: string | null, current: object | null): Refusal<"conflict"> | null {
  if (header === null) return null;
  if (current === null) {
    return refuse("conflict", {}, { message: "If-Match was sent, but the resource does not exist." });
  }
  const etag = etagOf(current);
  if (header.split(",").some((tag) => tag.trim() === "*" || tag.trim() === etag)) return null;
  return refuse("conflict", {}, { message: "The resource has changed: its ETag does not match If-Match." });
}
