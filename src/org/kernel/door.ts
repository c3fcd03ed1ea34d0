import type { CheckpointedSql } from "../../storage/transaction.ts";
import type { ModelName } from "../../domain/price/model-name.ts";
import type { DecisionAsk } from "../../contract/resources/decisions/decisions.ts";
import type { ChargeResult } from "../../domain/meter/admission.ts";
import type { Account } from "../../domain/meter/meter.ts";
import type { DueKind } from "./due-kinds.ts";
import type { Role, Scope } from "../../contract/access.ts";
import type { ErrorCode } from "../../contract/errors.ts";
import type { EventKind } from "../../contract/event-kinds.ts";
import type { Refusal } from "../../contract/refusal.ts";
import type { AuditEntry } from "../../domain/audit/chain.ts";
import type { CountedPart } from "../../domain/rate/counted-part.ts";
import type { RateMeter, RatePolicy, RateStanding } from "../../domain/rate/policy.ts";
import type { CounterNamespace, GaugeNamespace } from "../../contract/metrics.ts";
import type { RefusalNote } from "../../domain/refusal/note.ts";
import type { ReservationIds } from "../../domain/reservation/reservation-id.ts";
import type { Settings } from "../../settings.ts";
import type { Profile } from "../../domain/tenant/profile.ts";

/**
 * The only way to write. A command states its rule. The door adds what must never be forgotten: the caller's current
 * state, the transaction, the audit entry, the events, the idempotency record and the `If-Match` check.
 */

export interface OrgEnv {
  readonly DB: D1Database;
  readonly COUNTERS: CounterNamespace & GaugeNamespace;
  /** Optional: this region's bucket, where runs move that are older than a day, and where exports can be written. */
  readonly ARCHIVE?: R2Bucket;
  /** Optional: sends mail. */
  readonly EMAIL?: SendEmail;
}

export interface Actor {
  readonly kind: "key" | "operator" | "session" | "support" | "customer" | "system";
  readonly id: string;
  readonly role: Role;
  /** The actor whose authority is used, if it is another's (an operator under a support grant). */
  readonly onBehalfOf: string | null;
  readonly address: string | null;
}

export interface IdempotencyAsk {
  readonly key: string;
  readonly method: string;
  readonly path: string;
  /** The digest of query and raw body. */
  readonly digest: string;
  /** Set if the key was reserved beforehand, by work that spans more than this object. */
  readonly fence: number | null;
}

/**
 * The caller's credential, and what the operation requires. They are checked against stored rows when the effect
 * happens.
 */
export interface Credential {
  /** The digest of the key's secret. Null if the caller has none. */
  readonly digest: string | null;
  readonly role: Role;
  readonly scopes: readonly Scope[];
  /** Also opens the operation, to what its command allows. */
  readonly orScope?: Scope | undefined;
}

/** The current rate limits, including what isolates have leased. */
export interface RateBook {
  policies(): readonly RatePolicy[];
  /** The counter that a lease key names. Null if it no longer exists. */
  find(leaseKey: string): RateMeter | null;
  standing(meter: RateMeter, amount: number): RateStanding;
  take(meter: RateMeter, amount: number): void;
  /** Takes back amounts where they were counted, as far as that still counts. */
  giveBack(meter: RateMeter, parts: readonly CountedPart[]): void;
}

/** Every call comes with an envelope: the caller, the request and its conditions. */
export interface Envelope {
  readonly actor: Actor;
  readonly trace: string;
  /** The trace that the caller's own request belongs to, if it named one. Its consequences carry that on. */
  readonly parent?: string | null;
  readonly idempotency: IdempotencyAsk | null;
  readonly ifMatch: string | null;
  /** The change applies only if what it sets is not there yet. */
  readonly mustBeNew?: boolean;
  /** The command is checked and answered, and leaves nothing. */
  readonly isDryRun?: boolean;
  readonly credential?: Credential;
  /**
   * Set if the object has already counted the request, with the time, so that it can give it back if it refuses the
   * call.
   */
  readonly counted?: CountedRequest | undefined;
}

export interface CountedRequest {
  readonly route: string;
  /** By the org's clock. */
  readonly at: number;
}

export interface Answer {
  readonly status: number;
  /** The JSON text of the response, which a replay must repeat exactly. Null if there is no body. */
  readonly text: string | null;
  readonly etag: string | null;
  /** Set if the response is a stored refusal. */
  readonly code: ErrorCode | null;
  readonly replayed: boolean;
}

export type Outcome = Answer | Refusal;

/** Events that were just appended: their ids, and what each says. */
export interface NewEvents {
  readonly ids: readonly string[];
  readonly data: readonly object[];
}

/** The kernel needs these of the nouns above it, which it does not know. */
export interface Hooks {
  /** Queues events for the subscriptions to their kind. */
  queueEvents(sql: SqlStorage, now: number, kind: EventKind, events: NewEvents): void;
  /**
   * Returns why the caller may no longer act, by the object's own rows. Null if it may. `servesEnded`: a key that has
   * expired or was revoked lately passes.
   */
  callerRefusal(view: View, servesEnded?: boolean): Refusal | null;
  /** The position of a run in its chain. Undefined if there is no such run. */
  placeInChain(sql: SqlStorage, runId: string): ChainPlace | undefined;
  /** Records the runs that reservations become where nobody settles them. They are charged already. */
  recordEstimates(tx: Tx, made: readonly Estimate[]): void;
}

/** The run that stands in for one that nobody has reported. */
export interface Estimate {
  readonly runId: string;
  readonly reservationId: string;
  /** The key that had asked. Null if no key had. */
  readonly keyId: string | null;
  /** When the reservation was made. */
  readonly at: number;
  readonly nanos: bigint;
  readonly depth: number;
  readonly ask: Omit<DecisionAsk, "input" | "request_id" | "dry_run">;
  readonly accounts: readonly Account[];
  readonly charged: ChargeResult;
}

export interface ChainPlace {
  readonly chainId: string | null;
  readonly depth: number;
}

/** The body of a command's response, before it becomes JSON. Null for none. */
export type Body = object | null;

declare const BODY: unique symbol;

/** A response whose text is `B` as JSON. The symbol exists only for the compiler. */
export interface AnswerOf<B extends Body> extends Answer {
  readonly [BODY]: B;
}

/** A rule sees the object through a view while it runs. Everything is synchronous, so rules never interleave. */
export interface View {
  readonly sql: SqlStorage;
  readonly now: number;
  readonly orgId: string;
  readonly settings: Settings;
  readonly actor: Actor;
  readonly credential: Credential | null;
  readonly trace: string;
  readonly parent: string | null;
  readonly hooks: Hooks;
  /** True if this region has a bucket. */
  readonly hasBucket: boolean;
  /** True if this region can send mail. */
  readonly hasEmail: boolean;
  profile(): Profile;
  /**
   * Returns whether an id that is not stored may belong to a hold that an isolate made and has not reported, or never
   * will.
   */
  mayBeUnreported(reservationId: string): boolean;
  reservationIds(): ReservationIds;
  rates(): RateBook;
  /** Notes refusals, to be stored after the call, even if it is rolled back. */
  refused(notes: readonly RefusalNote[]): void;
  /** Adds to the platform's counters in memory, with those of the isolate, so that counting writes no row. */
  tally(counts: Counts): void;
}

/** How much to add to which series. */
export type Counts = readonly (readonly [series: string, by: number])[];

export interface Tx extends View {
  /** Nothing is counted of what is rolled back. */
  tally(counts: Counts): void;
  /** Appends to the outbox, with the change that caused it. */
  emit(kind: EventKind, data: object): void;
  /** The same for many of one kind. */
  emitAll(kind: EventKind, all: readonly object[]): void;
  /** Emitted at the end of the call, with all others of its kind, even if a refusal rolls back what the rule did. */
  emitLast(kind: EventKind, data: object): void;
  /** Adds to one of the platform's counters, if and only if the change happens. */
  count(series: string, by?: number): void;
  /** The handler of `kind` runs for `key` at `at`. Scheduling again moves it, null cancels it. */
  schedule(kind: DueKind, key: string, at: number | null): void;
  /** An audit entry in addition to the command's own. */
  record(entry: Pick<AuditEntry, "action" | "target" | "outcome"> & { detail?: object }): void;
  /** A refusal rolls back everything that the rule did. An effect that must remain (an event, an entry) is done here. */
  afterRefusal(effect: () => void): void;
}

/** A view whose tables have all that was changed. */
export type CheckpointedView = View & { readonly sql: CheckpointedSql };
export type CheckpointedTx = Tx & { readonly sql: CheckpointedSql };

export interface Done<B extends Body = Body> {
  readonly done: true;
  readonly status: number;
  readonly body: B;
  /** The id of the changed resource, for the audit trail. */
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

interface AnyCommand<Input, Code extends ErrorCode> {
  /** The audit entry's action, as `noun.verb`. Null only if it is recorded elsewhere. */
  readonly action: string | null;
  readonly refuses: readonly Code[];
  /** True if the caller's own state does not matter: it lets someone in or out, or records what they did. */
  readonly admitsItself?: (actor: Actor, input: Input) => boolean;
  /** A key that has expired or was revoked lately may finish what it began. The command checks what that is. */
  readonly servesEndedKeys?: true;
  /** The current resource, for `If-Match`. Then `refuses` includes `conflict`. */
  readonly current?: (view: View, input: Input) => object | null;
  /**
   * Isolates act on snapshots up to two seconds old. A command that removes a right names the key that loses it (`*`:
   * any; null: none), and returns only when no older snapshot can be in use.
   */
  readonly takesAway?: (input: Input) => string | null;
  /**
   * Limits, prices, rules or what they match change. Isolates decide with the old rules and with slices of the old limits,
   * so the command returns only when none of those can be used.
   */
  readonly changesLimits?: true | ((input: Input) => boolean);
  /** It begins once no slice that an isolate has now can be used any more, unless that isolate renews it. */
  readonly waitsForSlices?: boolean;
  /** D1 has a copy of what this changes. It is published there before the command returns. */
  readonly publishes?: "profile" | "benchmarks";
  /** True if this caller may get a stored response again. One that shows a secret is not for everyone who may call. */
  readonly replayRefusal?: (view: View, answer: string) => Refusal<Code> | null;
  /**
   * Reservations in the input. If an isolate may have made one and not reported it yet, the command waits for it,
   * briefly.
   */
  readonly reservations?: (input: Input) => readonly string[];
  /** Models that may have to be priced. Those without a price here are looked up in the platform's book first. */
  readonly models?: (input: Input) => readonly ModelName[];
  /** As for a query. */
  readonly readsRefusals?: true;
}

/** A command whose changes of tables are one entry of the write-ahead log. It reads them as `walTransaction` says. */
interface FrequentCommand<Input, Code extends ErrorCode, B extends Body> extends AnyCommand<Input, Code> {
  readonly usesWal: true;
  readonly run: (tx: Tx, input: Input) => Done<B> | Refusal<Code>;
}

interface RareCommand<Input, Code extends ErrorCode, B extends Body> extends AnyCommand<Input, Code> {
  readonly usesWal?: never;
  readonly run: (tx: CheckpointedTx, input: Input) => Done<B> | Refusal<Code>;
}

export type Command<Input, Code extends ErrorCode, B extends Body = Body> =
  | FrequentCommand<Input, Code, B>
  | RareCommand<Input, Code, B>;

export function command<Input, const Code extends ErrorCode, B extends Body>(
  spec: Command<Input, Code, B>,
): Command<Input, Code, B> {
  return spec;
}

export interface Query<Input, Code extends ErrorCode, B extends object = object> {
  readonly refuses: readonly Code[];
  /** As for a command. */
  readonly models?: (input: Input, view: View) => readonly ModelName[];
  /** It is about refusals, so pending ones are stored first. */
  readonly readsRefusals?: true;
  readonly run: (view: CheckpointedView, input: Input) => B | Refusal<Code>;
}

export function query<Input, const Code extends ErrorCode, B extends object>(
  spec: Query<Input, Code, B>,
): Query<Input, Code, B> {
  return spec;
}
