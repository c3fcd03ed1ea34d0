import { type MeterKind, METERS, type Unit } from "../../contract/meter-kinds.ts";
import { type EachScope, type ScopeKind, SCOPES } from "../../contract/scopes.ts";
import type { Match } from "./match.ts";
import {
  type Calendar,
  calendarWindow,
  dayWindowIn,
  type Period,
  type Window,
  windowAt,
} from "../time/period.ts";

/** `enforce` refuses, `shadow` only reports what it would have refused, `count` only counts. */
export type MeterMode = "enforce" | "shadow" | "count";

export type MeterWindow =
  | { readonly kind: "period"; readonly period: Period }
  | { readonly kind: "local_day"; readonly timeZone: string }
  | ({ readonly kind: "calendar" } & Calendar);

/** A limit. */
export interface Meter {
  readonly id: string;
  readonly kind: MeterKind;
  /** `countsApart` explains the id `"*"`. */
  readonly scope: { readonly kind: ScopeKind; readonly id: string };
  /** Null if unlimited: counted, never full. */
  readonly limit: bigint | null;
  readonly window: MeterWindow;
  readonly mode: MeterMode;
  /** It counts from this time on. Earlier charges do not count. */
  readonly sinceMs: number;
  /** It counts from before it was created, so runs that do not name it count, too, if they are in its scope. */
  readonly isBackdated?: true;
  /** If it counts something other than its kind does. */
  readonly unit?: Unit;
  /** The calls that it applies to, if its scope does not say. */
  readonly match?: Match;
  /** When the limit changes by itself. */
  readonly limitUntilMs?: number;
  /** Fractions of the limit, in billionths. Each sends an event once per window when reached. */
  readonly thresholds?: readonly bigint[];
  /** An event is sent once when less than this is left. */
  readonly lowRoom?: bigint;
}

/**
 * The counts of one meter for one subject in one window. `over` is the amount that facts brought past the limit. It is
 * counted separately, so that `spent + held + leased <= limit` holds for everything that was admitted.
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
  /** The subject, if the meter counts subjects separately. Otherwise empty. */
  readonly subject: string;
  readonly window: Window;
  usage: Usage;
}

export function unitOf({ kind, unit }: Pick<Meter, "kind" | "unit">): Unit {
  return unit ?? METERS[kind].unit;
}

/** Returns whether each group of calls has its own counter. */
export function countsGroups({ match }: Pick<Meter, "match">): boolean {
  return match !== undefined && match.groupBy.length > 0;
}

/**
 * Returns whether each customer, chain or group has its own counter under this meter. In other scopes `*` is an
 * ordinary name.
 */
export function countsApart(meter: Pick<Meter, "scope" | "match">): boolean {
  const { kind, id } = meter.scope;
  return (id === "*" && SCOPES[kind].countsEach) || countsGroups(meter);
}

/** The subject of a meter's counter for a given customer, chain or group. */
export function subjectOf(meter: Meter, someone: string): string {
  return countsApart(meter) ? someone : "";
}

/** The names that a call gives of each scope that a limit can count separately. */
export type EachNames = { readonly [Kind in EachScope]: string | null | undefined };

/** Returns which of them a limit counts. Empty if it counts none. */
export function countedName({ scope: { kind } }: Pick<Meter, "scope">, names: EachNames): string {
  return (SCOPES[kind].countsEach ? names[kind as EachScope] : null) ?? "";
}

export function windowOf(meter: Pick<Meter, "window">, atMs: number): Window {
  const { window } = meter;
  if (window.kind === "period") return windowAt(window.period, atMs);
  return window.kind === "calendar" ? calendarWindow(window, atMs) : dayWindowIn(window.timeZone, atMs);
}

/** The time zone of its windows. */
export function zoneOf({ window }: Pick<Meter, "window">): string {
  return window.kind === "period" ? "UTC" : window.timeZone;
}

/** Returns what is left. Negative if facts or a lowered limit exceeded it. Null if unlimited. */
export function roomOf(account: Pick<Account, "meter" | "usage">): bigint | null {
  const { limit } = account.meter;
  if (limit === null) return null;
  const { spent, over, held, leased } = account.usage;
  return limit - spent - over - held - leased;
}

/** Reaching a limit exactly is allowed, exceeding it is not. An amount of zero always fits. */
export function hasRoomFor(account: Pick<Account, "meter" | "usage">, amount: bigint): boolean {
  if (amount === 0n) return true;
  const room = roomOf(account);
  return room === null || amount <= room;
}

/** How much of what is past the limit facts brought there. The rest was admitted before the limit was lowered. */
export function overByFacts({ meter, usage }: Pick<Account, "meter" | "usage">): bigint {
  const past = totalSpent(usage) - (meter.limit ?? totalSpent(usage));
  if (past <= 0n) return 0n;
  return past < usage.over ? past : usage.over;
}

/** Everything that counts as used, including facts past the limit. */
export function totalSpent(usage: Usage): bigint {
  return usage.spent + usage.over;
}
