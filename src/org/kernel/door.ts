import type { DueKind } from "./due-kinds.ts";
import type { Role, Scope } from "../../contract/access.ts";
import type { ErrorCode } from "../../contract/errors.ts";
import type { EventKind } from "../../contract/event-kinds.ts";
import type { Refusal } from "../../contract/refusal.ts";
import type { AuditEntry } from "../../domain/audit-chain.ts";
import type { RateMeter, RatePolicy, RateStanding } from "../../domain/rate-policy.ts";
import type { CounterNamespace } from "../../contract/metrics.ts";
import type { RefusalNote } from "../../domain/refusal-note.ts";
import type { ReservationIds } from "../../domain/reservation-id.ts";
import type { Settings } from "../../settings.ts";
import type { Profile } from "../../domain/profile.ts";

/**
 * The one door for writes. A command states its rule; the door adds what must never be forgotten: the
 * caller's state at that moment, the transaction, the audit entry, the events, the idempotency record and the `If-Match` check.
 */

export interface OrgEnv {
  readonly DB: D1Database;
  readonly COUNTERS: CounterNamespace;
}

export interface Actor {
  readonly kind: "key" | "operator" | "session" | "support" | "system";
  readonly id: string;
  readonly role: Role;
  /** Whose authority is used, where it is another's (an operator inside a support grant). */
  readonly onBehalfOf: string | null;
  readonly address: string | null;
}

export interface IdempotencyAsk {
  readonly key: string;
  readonly method: string;
  readonly path: string;
  /** Of query and raw body. */
  readonly digest: string;
  /** Set when the key was reserved beforehand, by work that spans more than this object. */
  readonly fence: number | null;
}

/** What a caller came in with, and what the operation asks of it: held against what is stored when the effect happens. */
export interface Credential {
  /** Of the key's secret; null where the caller has none. */
  readonly digest: string | null;
  readonly role: Role;
  readonly scopes: readonly Scope[];
}

/** Rate limits as they stand at this moment, with what isolates have leased of them. */
export interface RateBook {
  policies(): readonly RatePolicy[];
  standing(meter: RateMeter, amount: number): RateStanding;
  take(meter: RateMeter, amount: number): void;
}

/** What comes with every call: who, on which request, and under which conditions. */
export interface Envelope {
  readonly actor: Actor;
  readonly trace: string;
  readonly idempotency: IdempotencyAsk | null;
  readonly ifMatch: string | null;
  readonly credential?: Credential;
  /** Set where the object has counted the request already, then, and gives that back should it refuse the call. */
  readonly counted?: CountedRequest | undefined;
}

export interface CountedRequest {
  readonly route: string;
  /** By the org's clock. */
  readonly at: number;
}

export interface Answer {
  readonly status: number;
  /** The JSON text as it goes to the caller: what a replay must repeat to the byte. Null: no body. */
  readonly text: string | null;
  readonly etag: string | null;
  /** Set when the answer is a stored refusal. */
  readonly code: ErrorCode | null;
  readonly replayed: boolean;
}

export type Outcome = Answer | Refusal;

/** What the kernel asks of the nouns above it, which it does not know. */
export interface Hooks {
  /** Queues events for whoever asked for their kind. */
  queueEvents(sql: SqlStorage, now: number, kind: EventKind, ids: readonly string[]): void;
  /** Whether the caller may still act, by the object's own rows; null: it may. */
  callerRefusal(view: View): Refusal | null;
  /** Where a run is in its chain; undefined: there is no such run. */
  placeInChain(sql: SqlStorage, runId: string): ChainPlace | undefined;
}

export interface ChainPlace {
  readonly chainId: string | null;
  readonly depth: number;
}

/** What a command answers with, before it is written as JSON. Null: nothing. */
export type Body = object | null;

declare const BODY: unique symbol;

/** An answer whose text is `B` as JSON. Only the compiler sees the symbol: no object has it. */
export interface AnswerOf<B extends Body> extends Answer {
  readonly [BODY]: B;
}

/** What a rule sees of the object while it runs. Everything is synchronous: no rule can be interleaved with another. */
export interface View {
  readonly sql: SqlStorage;
  readonly now: number;
  readonly orgId: string;
  readonly settings: Settings;
  readonly actor: Actor;
  readonly credential: Credential | null;
  readonly trace: string;
  readonly hooks: Hooks;
  profile(): Profile;
  /** Whether an id that is not stored may be of a hold that an isolate made and has not reported, or never will. */
  mayBeUnreported(reservationId: string): boolean;
  reservationIds(): ReservationIds;
  rates(): RateBook;
  /** Notes what was refused, to be kept once the call is over, whether it is rolled back or not. */
  refused(notes: readonly RefusalNote[]): void;
}

export interface Tx extends View {
  /** Appends to the outbox with the change that caused it. */
  emit(kind: EventKind, data: object): void;
  /** The same for many of one kind. */
  emitAll(kind: EventKind, all: readonly object[]): void;
  /** When the call ends, with all others of its kind, also where a refusal undoes what the rule did. */
  emitLast(kind: EventKind, data: object): void;
  /** Adds to one of the platform's counters, if and only if the change happens. */
  count(series: string, by?: number): void;
  /** At `at`, the handler of `kind` runs for `key`; scheduling again moves it, null takes it back. */
  schedule(kind: DueKind, key: string, at: number | null): void;
  /** An audit entry beside the one that the command gets by itself. */
  record(entry: Pick<AuditEntry, "action" | "target" | "outcome"> & { detail?: object }): void;
  /** A refusal undoes all that the rule did; what must stay all the same (an event, an entry) is done here. */
  afterRefusal(effect: () => void): void;
}

export interface Done<B extends Body = Body> {
  readonly done: true;
  readonly status: number;
  readonly body: B;
  /** The id of what was changed, for the audit trail. */
  readonly target: string | null;
  readonly detail: object;
}

export function done<B extends Body>(
  status: 200 | 201 | 204,
  body: B,
  audit: { target?: string; detail?: object } = {},
): Done<B> {
  return { done: true, status, body, target: audit.target ?? null, detail: audit.detail ?? {} };
}

export interface Command<Input, Code extends ErrorCode, B extends Body = Body> {
  /** The audit entry's action, as `noun.verb`. Null only for what is recorded elsewhere in its own way. */
  readonly action: string | null;
  readonly refuses: readonly Code[];
  /** True where the caller's own state is no condition: it lets somebody in, lets them go, or notes what they did. */
  readonly admitsItself?: (actor: Actor, input: Input) => boolean;
  /** The resource as it is now: `If-Match` is held against it, and `conflict` belongs to `refuses`. */
  readonly current?: (view: View, input: Input) => object | null;
  /**
   * Isolates act on snapshots up to two seconds old. A command that takes a right away names the key that loses it
   * (`*`: any; null: none), and is answered only once no snapshot that says otherwise can be in use.
   */
  readonly takesAway?: (input: Input) => string | null;
  /**
   * Limits, prices or what they match change. Isolates decide from slices of the limits as they were: the answer waits
   * until none of those can be used any more.
   */
  readonly changesLimits?: boolean;
  /** D1 repeats what this changes: it is published there before the answer. */
  readonly publishes?: "profile" | "benchmarks";
  /** Whether this caller may be given a stored answer again: one that shows a secret is not for everybody who may ask. */
  readonly replayRefusal?: (view: View, answer: string) => Refusal<Code> | null;
  /** Reservations that it is about: one that an isolate has made but not reported yet is waited for, briefly. */
  readonly reservations?: (input: Input) => readonly string[];
  /** Models that it may have to price: those without a price here are looked up in the platform's book first. */
  readonly models?: (input: Input) => readonly string[];
  /** As for a query. */
  readonly readsRefusals?: true;
  run(tx: Tx, input: Input): Done<B> | Refusal<Code>;
}

export function command<Input, const Code extends ErrorCode, B extends Body>(
  spec: Command<Input, Code, B>,
): Command<Input, Code, B> {
  return spec;
}

export interface Query<Input, Code extends ErrorCode, B extends object = object> {
  readonly refuses: readonly Code[];
  /** As for a command. */
  readonly models?: (input: Input, view: View) => readonly string[];
  /** It is about refusals: those that are not stored yet are stored before it. */
  readonly readsRefusals?: true;
  run(view: View, input: Input): B | Refusal<Code>;
}

export function query<Input, const Code extends ErrorCode, B extends object>(
  spec: Query<Input, Code, B>,
): Query<Input, Code, B> {
  return spec;
}
