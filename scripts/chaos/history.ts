/**
 * What callers did, what they were told, and what was there in the end. All that the checks read. Times are of the machine's
 * monotonic clock, in milliseconds, alike in all processes.
 */

export const VIOLATION_KINDS = [
  "lost report",
  "doubled settlement",
  "skipped check",
  "overspent limit",
  "logged secret",
  "wrong sum",
  "stuck reservation",
  "broken trail",
  "lost webhook",
  "repeated effect",
  "kept data",
  "unpromised answer",
] as const;
export type ViolationKind = (typeof VIOLATION_KINDS)[number];

/** A reported run, by the id that its caller gave it. */
export interface SentRun {
  readonly id: string;
  readonly nanos: number;
  readonly reservation: string | null;
  /** The service said that it has it. False: nobody knows. */
  isAcknowledged: boolean;
}

/** A decision that was answered with an allow. */
export interface Allow {
  readonly reservation: string;
  readonly nanos: number;
  readonly sentAt: number;
  readonly answeredAt: number;
  /** Until then it is held, unless somebody settles or releases it. Then it expires. */
  readonly heldUntil: number;
  /** `kept`: nobody settles or releases it, so it is reserved until it expires. `charged`: and then becomes a run. */
  end: "settled" | "released" | "kept" | "charged" | "unknown";
}

/** A limit that was set. It may be in force from when it was sent, and is in force alone once it was answered. */
export interface LimitChange {
  readonly nanos: number;
  readonly sentAt: number;
  readonly answeredAt: number;
}

/** A call that a rule, a limit or a revocation forbids, and how it was answered. */
export interface Forbidden {
  readonly what: string;
  readonly status: number;
}

export interface StoredRun {
  readonly id: string;
  readonly nanos: number;
  readonly reservation: string | null;
  readonly outcome: string;
}

/** What an org says of itself when everybody is quiet. */
export interface Stored {
  readonly readAt: number;
  readonly runs: readonly StoredRun[];
  /** The ids of runs that events announced. */
  readonly announced: readonly string[];
  readonly spentNanos: number;
  readonly reservedNanos: number;
  /** The same after every reservation has expired. */
  readonly spentInTheEndNanos: number;
  readonly reservedInTheEndNanos: number;
  /** All runs after every reservation has expired. */
  readonly runsInTheEnd: readonly StoredRun[];
  readonly isAuditValid: boolean;
}

export interface OrgHistory {
  readonly name: string;
  readonly runs: readonly SentRun[];
  readonly allows: readonly Allow[];
  readonly limits: readonly LimitChange[];
  readonly forbidden: readonly Forbidden[];
  /** How many calls a limit refused. Without any, nothing shows that it holds. */
  readonly limited: number;
  /** What was asked for, to be charged when it expires, by calls whose answer never came. Each may have been allowed. */
  readonly unheardNanos: readonly number[];
  /** Nothing is given back before it expires, so that what was admitted can be compared with the limit at any moment. */
  readonly onlyGrows: boolean;
  readonly stored: Stored;
}

/** Calls through the proxy: what the provider served, and what was recorded of it. */
export interface ProxyHistory {
  readonly served: number;
  readonly servedTokens: number;
  readonly recorded: number;
  readonly recordedTokens: number;
  /** Calls made after the last fault, each of which must be recorded. */
  readonly quietCalls: number;
  readonly quietRecorded: number;
}

export interface History {
  readonly orgs: readonly OrgHistory[];
  readonly proxy: ProxyHistory;
  /** Answers that the contract does not promise to a call like theirs. */
  readonly unpromised: readonly string[];
  /** Where a secret is in plain text. */
  readonly secrets: readonly string[];
  /** What rounds of calls have found by themselves. */
  readonly rounds: readonly { readonly kind: ViolationKind; readonly what: string }[];
  /** Holds of gates that closed in order, and that the service did not take. */
  readonly holdsRefused: number;
}

/** The machine's monotonic clock. */
export function nowMs(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}

/** Clocks are read in whole milliseconds, one after the other. */
const GRAIN_MS = 50;

/** An answer says by the wall clock how long a reservation is held: when that is. `wallNow` is the wall clock that nobody moves. */
export function heldUntil(expiresAt: string, wallNow = Date.now()): number {
  return nowMs() + Date.parse(expiresAt) - wallNow - GRAIN_MS;
}
