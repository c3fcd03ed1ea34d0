import { DurableObject } from "cloudflare:workers";
import { type Refusal, refuse } from "../contract/refusal.ts";
import type { LeaseExchange } from "../contract/resources/edge-leases.ts";
import type { RateSubject } from "../domain/rate/policy.ts";
import type { RegionPass } from "../domain/region/pass.ts";
import type { Residency } from "../domain/region/residency.ts";
import { SeenPasses } from "../domain/region/seen-passes.ts";
import type { IntroductionReply, Introduction } from "../gate/snapshot/introduction.ts";
import type { DecisionReply, RequestReply } from "../gate/decision/object-verdict.ts";
import type { Snapshot } from "../gate/snapshot/snapshot.ts";
import type { RateInfo } from "../gate/lease/wire.ts";
import { Authenticator } from "./authenticate.ts";
import { type AskedBy, askOf, type QueryName } from "./query-handler.ts";
import type { Arrival, ArrivingOrg } from "./backup/arrival.ts";
import type { ImportedOrg } from "./backup/import.ts";
import { readArrivalTime } from "./backup/archive-origin.ts";
import { platformRecovery, type Recovery, refuseBefore, restoreTo } from "./backup/recovery.ts";
import { DecisionHandler, type DecisionCall } from "./decision-handler.ts";
import type { DecidedTogether } from "../gate/decision/decided-together.ts";
import { DecisionBatch } from "./decision-batch.ts";
import { type CommandName, CommandHandler, type Reservation } from "./command-handler.ts";
import type { Envelope, OrgEnv, Outcome } from "./kernel/door.ts";
import { examineDatabase, type Examined, examineFile } from "./examine.ts";
import type { ExchangeAnswer } from "./leases/outside.ts";
import type { ArchiveCopy, DepartureResult } from "./moving/departure.ts";
import { type Move, moveUnderWay } from "./moving/state.ts";
import { loadProfile } from "./orgs/store.ts";
import { ObjectContext, SYSTEM } from "./object-context.ts";
import type { WatchResult } from "./people/watch.ts";
import type { ObjectMethod, PassedReply, RegionDoor } from "./region-door.ts";
import { loadRegions } from "./residency/rule.ts";
import { Startup } from "./startup.ts";

/**
 * One org: everything that it owns and everything that can refuse it, named by the org's id. All changes to an org go
 * through here one after another, each completely or not at all. This is its door: what can be asked of it.
 */
export class OrgObject extends DurableObject<OrgEnv> implements RegionDoor {
  readonly #context: ObjectContext;
  readonly #commandHandler: CommandHandler;
  readonly #decisionHandler: DecisionHandler;
  readonly #decisionBatch: DecisionBatch;
  readonly #authenticator: Authenticator;
  readonly #arrival: Arrival;
  readonly #passes = new SeenPasses(crypto.randomUUID());
  /** Replaced in tests: local workerd has no recovery. */
  recovery: Recovery;

  constructor(ctx: DurableObjectState, env: OrgEnv) {
    super(ctx, env);
    this.recovery = platformRecovery(ctx);
    this.#context = new ObjectContext(ctx, env);
    this.#commandHandler = new CommandHandler(this.#context);
    this.#decisionHandler = new DecisionHandler(this.#context);
    this.#decisionBatch = new DecisionBatch(this.#context, this.#decisionHandler);
    this.#authenticator = new Authenticator(this.#context, this.#decisionHandler);
    const startup = new Startup(this.#context, this.#commandHandler);
    this.#arrival = startup.arrival();
    startup.wake();
  }

  /** Accepts a pass that the isolate has verified: once, and only if it was made for the current epoch. */
  takePass(pass: Pick<RegionPass, "nonce" | "epoch">): { epoch: string; taken: boolean } {
    return { epoch: this.#passes.epoch, taken: this.#passes.take(pass, Date.now()) };
  }

  /** A call from another region. */
  async fromRegion(
    pass: Pick<RegionPass, "nonce" | "epoch">,
    method: ObjectMethod,
    args: readonly unknown[],
  ): Promise<PassedReply> {
    const { epoch, taken } = this.takePass(pass);
    if (!taken) return { epoch, taken };
    const result = await (this[method] as (...given: readonly unknown[]) => unknown).call(this, ...args);
    return { epoch, taken, result };
  }

  /**
   * Returns what an isolate needs to judge requests of this key by itself for the next two seconds. Null if there is no
   * such key.
   */
  authenticate(keyId: string, digest: string): Snapshot | null {
    return this.#authenticator.authenticate(keyId, digest);
  }

  /**
   * Returns what an isolate needs to know of a key, and the decision that came with it. Null if there is no such key.
   */
  introduce(keyId: string, digest: string, asked: Introduction): Promise<IntroductionReply | null> {
    return this.#authenticator.introduce(keyId, digest, asked);
  }

  /** The org's home region and where it may be served. Null if it has no home here. */
  whereabouts(): Residency | null {
    const { sql } = this.ctx.storage;
    const profile = this.#context.isOpened ? loadProfile(sql) : null;
    if (profile === null) return this.#context.departure.answer(null);
    return { homeRegion: profile.homeRegion, regions: loadRegions(sql) };
  }

  /**
   * For a page of the console that is left open. It writes nothing, and waits for nothing. Null if there is no such
   * org.
   */
  watch(digest: string, stream: string): WatchResult | null {
    const { isOpened, departure, pulse, contexts } = this.#context;
    if (!isOpened) return departure.answer(null);
    return pulse.watch(contexts.view({ actor: SYSTEM, trace: "watch" }), digest, stream);
  }

  /** Notes that such a page was closed. Null if there is no such org. */
  unwatch(stream: string): true | null {
    const { isOpened, departure, pulse } = this.#context;
    pulse.forget(stream);
    return isOpened ? true : departure.answer(null);
  }

  execute(name: CommandName, input: unknown, envelope: Envelope): Promise<Outcome> {
    return this.#commandHandler.execute(name, input, envelope);
  }

  /** Takes an idempotency key before work that spans more than this object. */
  reserve(envelope: Envelope): Reservation {
    return this.#commandHandler.reserve(envelope);
  }

  ask(name: QueryName, input: unknown, by: AskedBy): Outcome | object | Promise<Outcome | object> {
    return askOf(this.#context, name, input, by);
  }

  /** A decision that an isolate cannot make by itself. Null if there is no such org. */
  decide(call: DecisionCall): DecisionReply | null | Promise<DecisionReply | null> {
    return this.#decisionHandler.decide(call);
  }

  /** Makes such decisions of one isolate, as text. Null if each must be asked alone. */
  decideTogether(asked: string): DecidedTogether | null {
    return this.#decisionBatch.decide(asked);
  }

  /** An isolate's report of what it decided from its slices, and its request for more. */
  syncLeases(report: string): string | null {
    return this.#decisionHandler.syncLeases(report);
  }

  /** An exchange with a gate in a caller's own process, as text; null if there is no such org. */
  exchangeLeases(given: LeaseExchange, envelope: Envelope): Promise<ExchangeAnswer | null> {
    return this.#decisionHandler.exchangeLeases(given, envelope);
  }

  /** Counts a request against its rate limits. Null if there is no such org. */
  admitRequest(subject: RateSubject, report: string | null = null): RequestReply | null {
    return this.#decisionHandler.admitRequest(subject, report);
  }

  lookAtLimits(keys: readonly string[]): RateInfo[] {
    const { isOpened, departure, gate, contexts } = this.#context;
    return isOpened ? gate.look(keys, contexts.clock()) : departure.answer([]);
  }

  override alarm(): void | Promise<void> {
    const { isOpened, departure, pulse, due } = this.#context;
    if (!isOpened) return this.#arrival.cleanUp();
    if (departure.isFrozen) return departure.wake();
    pulse.beat();
    due.wake();
  }

  /** Makes room for an archive. */
  beginImport(attempt: string, archiveId: string): Refusal<"conflict"> | { begun: boolean } {
    // An org that comes back begins in a life that remembers nothing of it.
    if (this.#context.departure.hasLeft) this.ctx.abort("its org went to another region");
    return this.#arrival.begin(attempt, archiveId);
  }

  /** Takes one frame, as base64. False if another import has taken the place of this one. */
  stageImport(attempt: string, n: number, frame: string): boolean {
    return this.#arrival.stage(attempt, n, frame);
  }

  /** The whole archive was staged. False if another import has taken the place of this one. */
  sealImport(attempt: string): boolean {
    return this.#arrival.seal(attempt);
  }

  /** Returns whether the org is here, or may come to be here at any time. Null: neither. */
  arriving(): ArrivingOrg | null {
    return this.#arrival.state() ?? this.#context.departure.answer(null);
  }

  dropImport(attempt: string): void {
    this.#arrival.drop(attempt);
  }

  /** Makes this object the org of the archive that was staged. */
  finishImport(attempt: string, envelope: Envelope): Promise<ImportedOrg | Refusal> {
    return this.#arrival.finish(attempt, envelope);
  }

  /** Ends an import that has not made the org. True if it has. */
  abandonImport(archiveId: string): boolean {
    return this.#arrival.abandon(archiveId);
  }

  beginMove(to: string, envelope: Envelope): DepartureResult | Refusal {
    return this.#context.departure.begin(to, envelope);
  }

  freezeMove(to: string, copied: ArchiveCopy, envelope: Envelope): Promise<DepartureResult | Refusal> {
    return this.#context.departure.freeze(to, copied, envelope);
  }

  commitMove(id: string, attempt: string): boolean {
    return this.#context.departure.commit(id, attempt);
  }

  /** It stays only from the attempt that the caller has seen. False if nothing was changed. */
  endMove(id: string, how: "left" | "stayed", attemptSeen: string | null = null): Promise<boolean> | boolean {
    const { departure } = this.#context;
    return how === "left" ? departure.leave(id) : departure.stay(id, attemptSeen);
  }

  /** Looks again at a file of the archive, or at its database, of which a call could not read something. */
  examine(file: string | null): Promise<Examined> | Examined {
    const { sql } = this.ctx.storage;
    if (!this.#context.isOpened) return { is: "well" };
    return file === null ? examineDatabase(sql) : examineFile(sql, file);
  }

  /** The move that is under way. */
  moveUnderWay(): Move | null {
    return this.#context.isOpened ? moveUnderWay(this.ctx.storage.sql) : null;
  }

  /** Goes back to what this object was at a time. Its next life is that of then. */
  async restore(
    atMs: number,
  ): Promise<
    Refusal<"not_found" | "service_unavailable" | "conflict" | "validation_failed"> | { undo: string }
  > {
    const { isOpened, departure } = this.#context;
    if (!isOpened) return departure.answer(refuse("not_found"));
    const since = readArrivalTime(this.ctx.storage.sql) ?? 0;
    if (atMs <= since) return refuseBefore(since);
    return await departure.staying(() => restoreTo(this.recovery, this.ctx, atMs));
  }
}
