import { PLATFORM_ORG_ID } from "../contract/platform-org.ts";
import { archiveFailureSeries } from "../contract/metrics.ts";
import { counters, flushAfter } from "../counters.ts";
import { logProblem } from "../log.ts";
import { reportDamage } from "../platform/damage-reports.ts";
import { type Settings, settingsOf } from "../settings.ts";
import { DUE_HANDLERS } from "./due-handlers.ts";
import type { Actor, Counts, OrgEnv } from "./kernel/door.ts";
import { transaction } from "../storage/transaction.ts";
import { DueRunner } from "./kernel/perform/due-runner.ts";
import { ObjectGate } from "./leases/gate.ts";
import { PlatformBook } from "./models/platform-book.ts";
import { closeSlices } from "./moving/close-slices.ts";
import { Departure } from "./moving/departure.ts";
import { Freeze } from "./moving/freeze.ts";
import { saveProfile } from "./orgs/store.ts";
import { Pulse } from "./people/watch.ts";
import { notePepperChange } from "./peppers/state.ts";
import { platformProfile } from "./platform-profile.ts";
import { RefusalDesk } from "./refusals/desk.ts";
import { bindArchive, type FailedFile } from "../storage/segments/archive-binding.ts";
import { applySchema, isOpened } from "./schema.ts";
import { SnapshotAsks } from "./snapshots/snapshot.ts";
import { Publisher } from "./publish.ts";
import { CallContexts } from "./call-context.ts";

/** How long work in progress may take before an org that is to move stays. */
const LEAVING_PATIENCE_MS = 10_000;

export const SYSTEM: Actor = { kind: "system", id: "system", role: "owner", onBehalfOf: null, address: null };

/** The parts of one org's object, for as long as it is in memory. */
export class ObjectContext {
  readonly ctx: DurableObjectState;
  readonly storage: DurableObjectStorage;
  readonly env: OrgEnv;
  readonly id: string;
  readonly settings: Settings;
  /**
   * True if the org is here. An object that nobody opened stays empty, so asking for an unknown org leaves nothing
   * behind.
   */
  isOpened: boolean;
  /** The schema was just brought up to date. */
  readonly isUpgraded: boolean;
  readonly granted: SnapshotAsks;
  readonly gate: ObjectGate;
  readonly book: PlatformBook;
  readonly refusals: RefusalDesk;
  readonly contexts: CallContexts;
  readonly publisher: Publisher;
  readonly due: DueRunner;
  readonly departure: Departure;
  readonly freeze: Freeze;
  readonly pulse = new Pulse();

  constructor(ctx: DurableObjectState, env: OrgEnv) {
    this.ctx = ctx;
    this.storage = ctx.storage;
    this.env = env;
    this.settings = settingsOf(env);
    this.id = ctx.id.name ?? "";
    bindArchive(ctx.storage.sql, {
      bucket: env.ARCHIVE ?? null,
      prefix: `${this.id}/runs/`,
      failed: (failure) => this.#archiveFailed(failure),
    });
    const wasOpened = isOpened(ctx.storage.sql);
    this.isOpened = wasOpened || this.#openPlatform();
    this.isUpgraded = wasOpened && applySchema(ctx.storage);
    const openSince = this.isOpened ? Date.now() : 0;
    this.granted = new SnapshotAsks(wasOpened ? openSince : 0);
    this.gate = new ObjectGate(ctx.storage, this.settings.SVC_READ_LIMIT_PER_MINUTE, openSince);
    this.book = new PlatformBook(ctx.storage, env.DB, this.id);
    this.refusals = new RefusalDesk(ctx, () => this.contexts.now());
    this.contexts = this.#makeContexts();
    this.publisher = this.#makePublisher();
    this.due = this.#makeDue();
    this.departure = this.#makeDeparture();
    this.freeze = new Freeze(() => this.departure.isFrozen);
  }

  notePepperChange(): boolean {
    return transaction(this.storage, () =>
      notePepperChange(this.contexts.view({ actor: SYSTEM, trace: "peppers" })),
    );
  }

  /** The platform's own org is there from the beginning. */
  #openPlatform(): boolean {
    if (this.id !== PLATFORM_ORG_ID) return false;
    applySchema(this.storage);
    saveProfile(this.storage.sql, platformProfile(this.settings.SVC_REGION, Date.now()));
    return true;
  }

  #makeContexts(): CallContexts {
    const { settings, id, env, gate, refusals } = this;
    return new CallContexts({
      sql: this.storage.sql,
      settings,
      orgId: id,
      hasBucket: env.ARCHIVE !== undefined,
      hasEmail: () => env.EMAIL !== undefined && settings.SVC_EMAIL_FROM !== "",
      gate,
      refusals,
      tally: (counts) => this.#tally(counts),
      isOpened: () => this.isOpened,
    });
  }

  #makePublisher(): Publisher {
    return new Publisher(this.ctx, {
      env: this.env,
      orgId: this.id,
      clock: () => this.contexts.clock(),
      view: (orgNow) => this.contexts.view({ actor: SYSTEM, trace: "telling" }, orgNow),
      isOpened: () => this.isOpened,
    });
  }

  #makeDue(): DueRunner {
    return new DueRunner({
      storage: this.storage,
      env: this.env,
      handlers: DUE_HANDLERS,
      view: (trace) => this.contexts.view({ actor: SYSTEM, trace }),
      changed: () => this.isOpened && this.publisher.note(),
      isHeld: () => !this.isOpened || this.departure.isFrozen,
    });
  }

  #makeDeparture(): Departure {
    return new Departure(this.storage, {
      env: this.env,
      orgId: this.id,
      isOpened: () => this.isOpened,
      view: (envelope) => this.contexts.view(envelope),
      closeSlices: () =>
        closeSlices(
          this.gate,
          () => this.contexts.clock(),
          () => this.isOpened,
        ),
      settle: () => this.#settleToLeave(),
      openSlices: () => (this.gate.isClosed = false),
      goOn: () => this.due.wake(),
      left: () => (this.isOpened = false),
    });
  }

  /** Counts for the platform are sent from here first, because they do not move with the org. */
  async #settleToLeave(): Promise<boolean> {
    this.refusals.store();
    return this.due.isIdle(LEAVING_PATIENCE_MS);
  }

  #archiveFailed({ reason, file, why }: FailedFile): void {
    logProblem({ problem: "archive", org: this.id, reason, file, why });
    this.#tally([[archiveFailureSeries(reason), 1]]);
    // A bucket that does not answer is no damage: the health check asks it by itself.
    if (reason === "unavailable" || reason === "not_written") return;
    const report = { orgId: this.id, part: "archive", file, reportedAt: Date.now() } as const;
    this.ctx.waitUntil(reportDamage(this.env.DB, report));
  }

  /** Kept in memory with the isolate's own counts, and sent together with them. */
  #tally(counts: Counts): void {
    for (const [series, by] of counts) counters.count(series, by);
    const delayMs = counters.claimFlush(Date.now());
    if (delayMs !== undefined) this.ctx.waitUntil(flushAfter(this.env.COUNTERS, delayMs));
  }
}
