import type { MeterKind } from "../contract/meter-kinds.ts";
import { type ScopeKind, SCOPES } from "../contract/scopes.ts";
import { dayWindowIn, type Period, type Window, windowAt } from "./period.ts";

/** `enforce` refuses, `shadow` only reports what it would have refused, `count` only counts. */
export type MeterMode = "enforce" | "shadow" | "count";

export type MeterWindow =
  | { readonly kind: "period"; readonly period: Period }
  | { readonly kind: "local_day"; readonly timeZone: string };

/** A limit. */
export interface Meter {
  readonly id: string;
  readonly kind: MeterKind;
  /** See `countsApart` for the id `"*"`. */
  readonly scope: { readonly kind: ScopeKind; readonly id: string };
  /** Null is unlimited: counted, never full. */
  readonly limit: bigint | null;
  readonly window: MeterWindow;
  readonly mode: MeterMode;
  /** It counts from this time on, not what was charged before it existed. */
  readonly sinceMs: number;
  /** Fractions of the limit, in billionths. Each sends an event once per window when reached. */
  readonly thresholds?: readonly bigint[];
  /** An event is sent once when less than this is left. */
  readonly lowRoom?: bigint;
}

/**
 * What one meter has counted for one subject in one window. `over` is what facts brought past the limit, counted
 * apart so that `spent + held + leased <= limit` holds for everything that was admitted.
 */
export interface Usage {
  readonly spent: bigint;
  readonly over: bigint;
  readonly held: bigint;
  readonly leased: bigint;
}

export const NO_USAGE: Usage = { spent: 0n, over: 0n, held: 0n, leased: 0n };

/** One meter for one attempt. Charges replace the usage; the rest does not change. */
export interface Account {
  readonly meter: Meter;
  /** Whose usage it is where the meter counts each apart, else empty. */
  readonly subject: string;
  readonly window: Window;
  usage: Usage;
}

/** Whether each customer or chain has a counter of its own under this meter. In other scopes `*` is a name like any other. */
export function countsApart({ scope: { kind, id } }: Pick<Meter, "scope">): boolean {
  return id === "*" && SCOPES[kind].countsEach;
}

/** The subject of a meter's counter, for someone of the kind that it may count apart. */
export function subjectOf(meter: Meter, someone: string): string {
  return countsApart(meter) ? someone : "";
}

export function windowOf(meter: Meter, atMs: number): Window {
  const { window } = meter;
  return window.kind === "period" ? windowAt(window.period, atMs) : dayWindowIn(window.timeZone, atMs);
}

/** What is left. Negative if facts or a lowered limit exceeded it. Null if unlimited. */
export function roomOf(account: Pick<Account, "meter" | "usage">): bigint | null {
  const { limit } = account.meter;
  if (limit === null) return null;
  const { spent, over, held, leased } = account.usage;
  return limit - spent - over - held - leased;
}

/** Reaching a limit exactly is allowed, passing it is not, and what costs nothing always fits. */
export function hasRoomFor(account: Pick<Account, "meter" | "usage">, amount: bigint): boolean {
  if (amount === 0n) return true;
  const room = roomOf(account);
  return room === null || amount <= room;
}

/** Everything counted as used up, facts past the limit included. */
export function totalSpent(usage: Usage): bigint {
  return usage.spent + usage.over;
}
