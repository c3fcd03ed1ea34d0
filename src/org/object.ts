import { DurableObject } from "cloudflare:workers";
import type { ErrorCode } from "../contract/errors.ts";
import { PLATFORM_ORG_ID } from "../contract/ids.ts";
import { isRefusal, type Refusal, refuse } from "../contract/refusal.ts";
import { counters, flushIn } from "../counters.ts";
import { logFailure } from "../log.ts";
import { type Settings, settingsOf } from "../settings.ts";
import type { RateSubject } from "../domain/rate-policy.ts";
import type { RegionPass } from "../domain/region-pass.ts";
import type { Residency } from "../domain/residency.ts";
import { SeenPasses } from "../domain/seen-passes.ts";
import { Arrival } from "./backup/arrival.ts";
import { type Imported, publishGrants } from "./backup/importing.ts";
import { platformRecovery, type Recovery, restoreTo } from "./backup/recovery.ts";
import { dropStaging } from "./backup/staging.ts";
import { callerRefusal } from "./caller.ts";
import { COMMANDS } from "./commands.ts";
import { Pulse, type Watched } from "./people/watch.ts";
import { noteUse } from "./keys/uses.ts";
import { onceReadable } from "./kernel/absent.ts";
import { foldFirst, transaction } from "./kernel/journal/transaction.ts";
import type { Actor, Command, Counts, Envelope, OrgEnv, Outcome, Query, View } from "./kernel/door.ts";
import { DUE_HANDLERS } from "./due-handlers.ts";
import { DueRunner } from "./kernel/perform/due-runner.ts";
import type { DecisionAsk } from "../gate/ask.ts";
import type { Introduced, Introduction } from "../gate/introduction.ts";
import type { DecisionReply, RequestVerdict } from "../gate/object-verdict.ts";
import type { Snapshot } from "../gate/snapshot.ts";
import { Telling } from "./telling.ts";
import { ObjectGate } from "./leases/gate.ts";
import { type ExchangeAnswer, OutsideGates } from "./leases/outside.ts";
import type { LeaseExchange } from "../contract/resources/leases.ts";
import type { RateInfo } from "../gate/wire.ts";
import { modelsOf } from "./decisions/decide.ts";
import { claim } from "./kernel/idempotency/records.ts";
import { perform } from "./kernel/perform/perform.ts";
import { rehash } from "./keys/rehash.ts";
import { heedPeppers } from "./peppers/state.ts";
import { PlatformBook } from "./models/platform-book.ts";
import { closeSlices } from "./moving/close-slices.ts";
import { Departure, type Departing } from "./moving/departure.ts";
import { Freeze, refuseFrozen } from "./moving/frozen.ts";
import { isMoved } from "./moving/moved.ts";
import { type Move, moveUnderWay } from "./moving/state.ts";
import { missedPlanTerms } from "./plans/reread.ts";
import { platformProfile } from "./platform-profile.ts";
import { loadProfile, saveProfile } from "./orgs/store.ts";
import { QUERIES } from "./queries.ts";
import type { ObjectMethod, Passed, RegionDoor } from "./region-door.ts";
import type { RefusalNote } from "../domain/refusal-note.ts";
import { RefusalDesk } from "./refusals/desk.ts";
import { envelopeOf, isServedWhereItArrived } from "./decisions/introduction.ts";
import { refusedDecision } from "./decisions/refused.ts";
import { loadRegions } from "./residency/rule.ts";
import { applySchema, isOpened, stepsOf } from "./schema.ts";
import { bindArchive } from "./runs/blocks/archive-binding.ts";
import { Views } from "./views.ts";
import { Granted, keySnapshot, orgSnapshot } from "./snapshots/snapshot.ts";

export type Reservation = { readonly fence: number; readonly seed: string } | { readonly outcome: Outcome };

/** How long work in progress may take before an org that is to move stays. */
const LEAVING_PATIENCE_MS = 10_000;
/** Commands that let a reader in. What they note of that need not move. */
const GOES_ON: ReadonlySet<keyof typeof COMMANDS> = new Set(["admitSession", "admitSupport", "dropBackup"]);
const NOTHING_DECIDED = { text: null, rates: [], lesson: null, version: "", leases: null } as const;

const SYSTEM: Actor = { kind: "system", id: "system", role: "owner", onBehalfOf: null, address: null };

/**
 * One org: everything that it owns and everything that can refuse it, named by the org's id. All changes to an org go
 * through here one after another, each completely or not at all.
 */
export class OrgObject extends DurableObject<OrgEnv> implements RegionDoor {
  readonly #settings: Settings;
  readonly #granted: Granted;
  readonly #due: DueRunner;
  readonly #gate: ObjectGate;
  readonly #book: PlatformBook;
  readonly #refusals: RefusalDesk;
  readonly #views: Views;
  readonly #id: string;
  readonly #telling: Telling;
  readonly #arrival: Arrival;
  readonly #departure: Departure;
  readonly #freeze: Freeze;
  readonly #passes = new SeenPasses(crypto.randomUUID());
  readonly #pulse = new Pulse();
  #opened: boolean;
  /** Replaced in tests: local workerd has no recovery. */
  recovery: Recovery;

  constructor(ctx: DurableObjectState, env: OrgEnv) {
    super(ctx, env);
    this.#settings = settingsOf(env);
    this.#id = ctx.id.name ?? "";
    bindArchive(ctx.storage.sql, { bucket: env.ARCHIVE ?? null, orgId: this.#id });
    this.recovery = platformRecovery(ctx);
    // An object that nobody opened stays empty, so asking for an org that does not exist leaves nothing behind.
    this.#opened = isOpened(ctx.storage.sql);
    this.#granted = new Granted(this.#opened ? Date.now() : 0);
    const upgraded = this.#opened && applySchema(ctx.storage);
    if (!this.#opened && this.#id === PLATFORM_ORG_ID) {
      applySchema(ctx.storage);
      saveProfile(ctx.storage.sql, platformProfile(this.#settings.SVC_REGION, Date.now()));
      this.#opened = true;
    }
    this.#gate = new ObjectGate(
      ctx.storage,
      this.#settings.SVC_READ_LIMIT_PER_MINUTE,
      this.#opened ? Date.now() : 0,
    );
    this.#book = new PlatformBook(ctx.storage, env.DB, this.#id);
    this.#refusals = new RefusalDesk(ctx, () => this.#views.now());
    this.#views = new Views({
      sql: ctx.storage.sql,
      settings: this.#settings,
      orgId: this.#id,
      hasBucket: env.ARCHIVE !== undefined,
      gate: this.#gate,
      refusals: this.#refusals,
      tally: (counts) => this.#tally(counts),
      isOpened: () => this.#opened,
    });
    this.#telling = new Telling(ctx, {
      env,
      orgId: this.#id,
      clock: () => this.#views.clock(),
      view: (orgNow) => this.#views.view({ actor: SYSTEM, trace: "telling" }, orgNow),
      isOpened: () => this.#opened,
    });
    this.#due = new DueRunner({
      storage: ctx.storage,
      env,
      handlers: DUE_HANDLERS,
      view: (trace) => this.#views.view({ actor: SYSTEM, trace }),
      changed: () => this.#opened && this.#telling.note(),
      isHeld: () => !this.#opened || this.#departure.isFrozen,
    });
    this.#departure = new Departure(ctx.storage, {
      env,
      orgId: this.#id,
      isOpened: () => this.#opened,
      view: (envelope) => this.#views.view(envelope),
      closeSlices: () => closeSlices(this.#gate, () => this.#views.clock()),
      settle: () => this.#settleToLeave(),
      goOn: () => {
        this.#gate.isClosed = false;
        this.#due.wake();
      },
      left: () => (this.#opened = false),
    });
    this.#freeze = new Freeze(() => this.#departure.isFrozen);
    this.#arrival = new Arrival(ctx.storage, {
      orgId: this.#id,
      settings: this.#settings,
      isOpened: () => this.#opened,
      setOpened: (opened) => (this.#opened = opened),
      holdsOrg: () => isOpened(ctx.storage.sql),
      steps: () => stepsOf(ctx.storage),
      view: (envelope) => this.#views.view(envelope),
      arrived: (view) => this.#arrived(view),
    });
    if (!this.#opened) ctx.waitUntil(this.#departure.unlist().catch((error) => logFailure("moved", error)));
    const isChanged = this.#opened && !this.#departure.isFrozen && this.#heedPeppers();
    // An upgrade may leave work that is due at once, even if only reads arrive.
    if (upgraded || isChanged) this.#due.arm();
    if (this.#opened && this.#id !== PLATFORM_ORG_ID) ctx.waitUntil(this.#rereadPlatform());
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
  ): Promise<Passed> {
    const { epoch, taken } = this.takePass(pass);
    if (!taken) return { epoch, taken };
    const result = await (this[method] as (...given: readonly unknown[]) => unknown).call(this, ...args);
    return { epoch, taken, result };
  }

  /**
   * What an isolate needs to judge requests of this key by itself for the next two seconds. Null if there is no such
   * key.
   */
  authenticate(keyId: string, digest: string): Snapshot | null {
    const asked = Date.now();
    const profile = this.#opened ? loadProfile(this.ctx.storage.sql) : null;
    if (profile === null) return this.#departure.answer(null);
    const key = keySnapshot(this.ctx.storage.sql, asked + profile.clockOffsetMs, keyId, digest);
    if (key === null) return null;
    const isFrozen = this.#departure.isFrozen;
    if (!isFrozen) rehash(this.ctx.storage, keyId, digest, this.#settings);
    this.#granted.note(keyId, asked);
    if (!key.revoked && !isFrozen) noteUse(this.ctx.storage.sql, keyId, asked + profile.clockOffsetMs);
    this.#telling.called(asked);
    return { org: orgSnapshot({ sql: this.ctx.storage.sql, settings: this.#settings }, profile), key };
  }

  /** What an isolate needs to know of a key, and the decision that came with it. Null if there is no such key. */
  async introduce(keyId: string, digest: string, asked: Introduction): Promise<Introduced | null> {
    const snapshot = this.authenticate(keyId, digest);
    if (snapshot === null) return null;
    if (isMoved(snapshot)) return this.#departure.answer(null);
    const envelope = envelopeOf(snapshot, digest, asked);
    const isRefused = callerRefusal(this.#views.view(envelope)) !== null;
    if (isRefused || !isServedWhereItArrived(snapshot, asked)) return { snapshot, reply: null };
    return { snapshot, reply: await this.decide(asked.ask, keyId, false, envelope, null) };
  }

  /** The org's home region and where it may be served. Null if it has no home here. */
  whereabouts(): Residency | null {
    const { sql } = this.ctx.storage;
    const profile = this.#opened ? loadProfile(sql) : null;
    if (profile === null) return this.#departure.answer(null);
    return { homeRegion: profile.homeRegion, regions: loadRegions(sql) };
  }

  /** For a page of the console that is left open. It writes nothing, and waits for nothing. Null: no such org. */
  watch(digest: string, stream: string): Watched | null {
    if (!this.#opened) return this.#departure.answer(null);
    return this.#pulse.watch(this.#views.view({ actor: SYSTEM, trace: "watch" }), digest, stream);
  }

  /** Such a page was closed. Null: no such org. */
  unwatch(stream: string): true | null {
    this.#pulse.forget(stream);
    return this.#opened ? true : this.#departure.answer(null);
  }

  async execute(name: keyof typeof COMMANDS, input: unknown, envelope: Envelope): Promise<Outcome> {
    return this.#freeze.through<Outcome>(() => this.#execute(name, input, envelope), refuseFrozen);
  }

  async #execute(name: keyof typeof COMMANDS, input: unknown, envelope: Envelope): Promise<Outcome> {
    if (!GOES_ON.has(name)) this.#freeze.check();
    if (!this.#opened) {
      if (name !== "openOrg") return this.#departure.answer(refuse("not_found"));
      applySchema(this.ctx.storage);
      this.#opened = true;
    }
    const command = COMMANDS[name] as unknown as Command<unknown, ErrorCode>;
    if (command.reservations !== undefined) await this.#views.holds().wait(command.reservations(input));
    if (command.waitsForSlices === true) await scheduler.wait(this.#gate.waitOutMs(this.#views.clock()));
    const unlearned = await this.#book.learn(
      command.models?.(input) ?? [],
      this.#views.now(),
      envelope.trace,
    );
    if (unlearned !== null) return unlearned;
    const given = name === "rereadPrices" ? await this.#book.reread(revisionOf(input)) : input;
    if (command.readsRefusals === true) this.#refusals.store();
    let refused: RefusalNote[] = [];
    const performed = onceReadable(() => {
      if (!this.#opened) return this.#departure.answer<Outcome>(refuse("not_found"));
      if (!GOES_ON.has(name)) this.#freeze.check();
      refused = [];
      const view = {
        ...this.#views.view(envelope),
        // Refusals noted by a call that fails were never returned, so they are not stored.
        refused: (notes: readonly RefusalNote[]) => void refused.push(...notes),
      };
      return perform(this.ctx.storage, view, { envelope, command, input: given });
    });
    const outcome = performed instanceof Promise ? await performed : performed;
    if (!this.#opened) return outcome;
    this.#refusals.note(refused);
    if (command.action !== null) this.#pulse.beat();
    if (envelope.counted !== undefined && isTurnedAway(outcome)) {
      this.#gate.giveBack(envelope.counted, envelope.actor.id, this.#views.clock());
    }
    if (name === "openOrg" && !isRefusal(outcome)) this.#heedPeppers();
    this.#due.arm();
    if (name === "advanceClock" && !isRefusal(outcome)) await this.#due.settle();
    if (isRefusal(outcome)) return outcome;
    if (command.publishes !== undefined) await this.#due.runNow("publish", command.publishes);
    const { changesLimits = () => false } = command;
    const isChanged = changesLimits === true || changesLimits(input);
    const slicesMs = isChanged ? this.#gate.changed(this.#views.clock()) : 0;
    const loser = command.takesAway?.(input) ?? null;
    const ms = Math.max(slicesMs, loser === null ? 0 : this.#outdatedIn(loser));
    if (ms > 0) await scheduler.wait(ms);
    return outcome;
  }

  /** A decision that an isolate cannot make by itself. Null if there is no such org. */
  // oxlint-disable-next-line max-params -- isolates of the version before call it by position
  decide(
    ask: DecisionAsk,
    keyId: string,
    learn: boolean,
    envelope: Envelope,
    report: string | null,
  ): DecisionReply | null | Promise<DecisionReply | null> {
    if (!this.#opened) return this.#departure.answer(null);
    const decideNow = (unlearned: Refusal | null): DecisionReply => {
      if (!this.#opened) return this.#departure.answer<DecisionReply | null>(null) ?? unopened();
      this.#freeze.check();
      const clock = this.#views.clock();
      this.#pulse.beat();
      const view = this.#views.view(envelope, clock.org);
      const refusal = callerRefusal(view) ?? unlearned;
      const verdict =
        refusal === null
          ? this.#gate.decide(ask, { keyId, learn, view, clock })
          : { refusal, text: null, rates: [], lesson: null, orgNow: clock.org, version: "" };
      if (verdict.refusal !== null) this.#refusals.note(refusedDecision(view, ask, keyId, verdict.refusal));
      this.#due.arm();
      return { ...verdict, leases: report === null ? null : this.#carriedReport(report, envelope.trace) };
    };
    const orRefused = (made: DecisionReply | Refusal) => (isRefusal(made) ? decideNow(made) : made);
    const readAndDecide = (unlearned: Refusal | null): DecisionReply | Promise<DecisionReply> => {
      const reply = onceReadable(() => decideNow(unlearned));
      return reply instanceof Promise ? reply.then(orRefused) : orRefused(reply);
    };
    const now = this.#views.now();
    const missing = this.#book.missing(modelsOf(ask), now);
    const frozen = () => ({ ...NOTHING_DECIDED, refusal: refuseFrozen(), orgNow: this.#views.now() });
    return this.#freeze.through(
      () =>
        missing.length === 0
          ? readAndDecide(null)
          : this.#book.learn(missing, now, envelope.trace).then(readAndDecide),
      frozen,
    );
  }

  /** Counts a request against its rate limits. Null if there is no such org. */
  admitRequest(subject: RateSubject): RequestVerdict | null {
    return this.#opened
      ? this.#gate.admitRequest(subject, this.#views.clock())
      : this.#departure.answer(null);
  }

  /** An isolate's report of what it decided from its slices, and its request for more. */
  syncLeases(report: string): string | null {
    if (!this.#opened) return this.#departure.answer(null);
    // The isolate reports it again.
    this.#freeze.check();
    this.#pulse.beat();
    const clock = this.#views.clock();
    const reply = this.#gate.sync(
      report,
      this.#views.view({ actor: SYSTEM, trace: "lease" }, clock.org),
      clock,
    );
    this.#due.arm();
    return reply;
  }

  /** An exchange with a gate in a caller's own process, as text; null: no such org. */
  async exchangeLeases(given: LeaseExchange, envelope: Envelope): Promise<ExchangeAnswer | null> {
    if (!this.#opened) return this.#departure.answer(null);
    const { actor } = envelope;
    const { ask, learn = false } = given;
    if (this.#departure.isFrozen) return { refusal: refuseFrozen(), text: null };
    const verdict = ask === undefined ? null : await this.decide(ask, actor.id, learn, envelope, null);
    if (isMoved(verdict)) return this.#departure.answer(null);
    if (this.#departure.isFrozen) return { refusal: refuseFrozen(), text: null };
    const clock = this.#views.clock();
    const view = this.#views.view(envelope, clock.org);
    const refusal = callerRefusal(view);
    if (refusal !== null) return { refusal, text: null };
    // Whoever takes the key away is answered once no gate goes by this exchange any more.
    this.#granted.note(actor.id, Date.now());
    const reply = new OutsideGates(this.#gate, view, clock).exchange(given, verdict);
    this.#due.arm();
    return reply;
  }

  /** If a report fails, the decision that it came with still stands. The report will come again. */
  #carriedReport(report: string, trace: string): string | null {
    try {
      return this.syncLeases(report);
    } catch (error) {
      logFailure(trace, error);
      return null;
    }
  }

  lookAtLimits(keys: readonly string[]): RateInfo[] {
    return this.#opened ? this.#gate.look(keys, this.#views.clock()) : this.#departure.answer([]);
  }

  ask(
    name: keyof typeof QUERIES,
    input: unknown,
    envelope: Envelope,
  ): Outcome | object | Promise<Outcome | object> {
    if (!this.#opened) return this.#departure.answer(refuse("not_found"));
    const query = QUERIES[name] as unknown as Query<unknown, ErrorCode>;
    foldFirst(this.ctx.storage);
    if (query.readsRefusals === true) this.#refusals.store();
    const { actor, trace } = envelope;
    const view = (): View => this.#views.view({ actor, trace });
    const models = query.models?.(input, view()) ?? [];
    const now = this.#views.now();
    const run = () =>
      onceReadable(() => {
        // Others are served while it waits.
        if (!this.#opened) return this.#departure.answer(refuse("not_found"));
        foldFirst(this.ctx.storage);
        return query.run(view(), input);
      });
    if (this.#book.missing(models, now).length === 0) return run();
    return this.#book.learn(models, now, trace).then((unlearned) => unlearned ?? run());
  }

  /** Takes an idempotency key before work that spans more than this object. */
  reserve(envelope: Envelope): Reservation {
    const ask = envelope.idempotency;
    if (!this.#opened || ask === null) return this.#departure.answer({ outcome: refuse("not_found") });
    if (this.#departure.isFrozen) return { outcome: refuseFrozen() };
    const view = this.#views.view(envelope);
    const refusal = callerRefusal(view);
    if (refusal !== null) return { outcome: refusal };
    const claimed = transaction(this.ctx.storage, () => claim(view, ask));
    return claimed.kind === "granted"
      ? { fence: claimed.fence, seed: claimed.seed }
      : { outcome: claimed.outcome };
  }

  override alarm(): void {
    // Without an org, an import may have been given up.
    if (!this.#opened) return dropStaging(this.ctx.storage.sql);
    if (this.#departure.isFrozen) return this.#departure.wake();
    this.#pulse.beat();
    this.#due.wake();
  }

  /** Makes room for an archive. */
  beginImport(attempt: string, archiveId: string): Refusal<"conflict"> | { begun: boolean } {
    // An org that comes back begins in a life that remembers nothing of it.
    if (this.#departure.hasLeft) this.ctx.abort("its org went to another region");
    return this.#arrival.begin(attempt, archiveId);
  }

  /** Takes one frame, as base64. False if another import has taken the place of this one. */
  stageImport(attempt: string, n: number, frame: string): boolean {
    return this.#arrival.stage(attempt, n, frame);
  }

  /** Makes this object the org of the archive that was staged. */
  finishImport(attempt: string, envelope: Envelope): Promise<Imported | Refusal> {
    return this.#arrival.finish(attempt, envelope);
  }

  /** Ends an import that has not made the org. True if it has. */
  abandonImport(archiveId: string): boolean {
    return this.#arrival.abandon(archiveId);
  }

  beginMove(to: string, isArchiveCopied: boolean, envelope: Envelope): Promise<Departing | Refusal> {
    return this.#departure.begin(to, isArchiveCopied, envelope);
  }

  commitMove(id: string, attempt: string): boolean {
    return this.#departure.commit(id, attempt);
  }

  endMove(id: string, how: "left" | "stayed"): Promise<boolean> | boolean {
    return how === "left" ? this.#departure.leave(id) : this.#departure.stay(id);
  }

  /** The move that is under way. */
  moveUnderWay(): Move | null {
    return this.#opened ? moveUnderWay(this.ctx.storage.sql) : null;
  }

  /** Goes back to what this object was at a time. Its next life is that of then. */
  async restore(atMs: number): Promise<Refusal<"not_found" | "service_unavailable"> | { undo: string }> {
    if (!this.#opened) return this.#departure.answer(refuse("not_found"));
    return await restoreTo(this.recovery, this.ctx, atMs);
  }

  /** Kept in memory with the isolate's own counts, and sent together with them. */
  #tally(counts: Counts): void {
    for (const [series, by] of counts) counters.count(series, by);
    const delayMs = counters.claimFlush(Date.now());
    if (delayMs !== undefined) this.ctx.waitUntil(flushIn(this.env.COUNTERS, delayMs));
  }

  /** What was counted for the platform goes there from here, because it does not move. */
  async #settleToLeave(): Promise<boolean> {
    this.#refusals.store();
    return this.#due.isIdle(LEAVING_PATIENCE_MS);
  }

  #heedPeppers(): boolean {
    return transaction(this.ctx.storage, () =>
      heedPeppers(this.#views.view({ actor: SYSTEM, trace: "peppers" })),
    );
  }

  /** What an org does that has just come from an archive. */
  async #arrived(view: View): Promise<void> {
    this.#departure.returned();
    this.#due.arm();
    await publishGrants(this.env, view);
    await this.#due.runNow("publish", "profile");
    this.ctx.waitUntil(this.#rereadPlatform());
  }

  /** Changes that were pushed while the object was unreachable are found when it wakes. No call waits for that. */
  async #rereadPlatform(): Promise<void> {
    const trace = `wake-${crypto.randomUUID()}`;
    const alone = { actor: SYSTEM, trace, idempotency: null, ifMatch: null };
    try {
      const revision = await this.#book.hasMissed();
      if (revision !== null) await this.execute("rereadPrices", { revision }, alone);
      const terms = await missedPlanTerms(this.env.DB, this.#views.view(alone));
      if (terms === null) return;
      await this.execute("setPlanTerms", terms, alone);
    } catch (error) {
      logFailure(trace, error);
    }
  }

  /** How long snapshots of the key (`*`: of any key) may still be in use. */
  #outdatedIn(keyId: string): number {
    return this.#granted.outdatedAt(keyId) - Date.now();
  }
}

function unopened(): never {
  throw new Error("the object has no org");
}

/** Refused by a limit or rule. A malformed call counts as served. */
function isTurnedAway(outcome: Outcome): boolean {
  return outcome.code !== null && outcome.code !== "validation_failed";
}

function revisionOf(input: unknown): number {
  return (input as { revision: number }).revision;
}
