import type { DueKind } from "../due-kinds.ts";
import { logFailure } from "../../../log.ts";
import { fetchingAsNeeded } from "../../../storage/needs-fetch.ts";
import { transaction } from "../../../storage/transaction.ts";
import type { OrgEnv, View } from "../door.ts";
import { performDue } from "./perform.ts";
import type { DueHandler } from "../due/handler.ts";
import { dueBy, nextDueAt, scheduleDue } from "../due/table.ts";

const AT_ONCE = 100;
const ROUNDS = 1000;
/** Longer than any work takes. If the object goes down, the work is repeated then. */
const RETRY_MS = 30_000;
const SETTLE_MS = 20_000;
const POLL_MS = 10;
/** The earliest that the platform takes. Rows of an upgrade are due since the beginning, and the org's clock may be ahead. */
const FIRST_ALARM = 1;

/**
 * Runs due work. A row is removed only with its work: if a handler fails, the row is moved slightly ahead, so that it
 * survives an alarm that the platform gives up on.
 */
export class DueRunner {
  readonly #storage: DurableObjectStorage;
  readonly #env: OrgEnv;
  /** By the kind of row. */
  readonly #handlers: Readonly<Partial<Record<DueKind, DueHandler>>>;
  readonly #view: (trace: string) => View;
  /** Called whenever the object has done something. */
  readonly #changed: () => void;
  /** True if nothing may begin now. */
  readonly #isHeld: () => boolean;
  /** Work in progress, by kind and key: never the same one twice at once. */
  readonly #working = new Map<string, Promise<void>>();
  #armedFor: number | null = null;

  constructor(host: {
    storage: DurableObjectStorage;
    env: OrgEnv;
    handlers: Readonly<Partial<Record<DueKind, DueHandler>>>;
    view: (trace: string) => View;
    changed: () => void;
    isHeld?: () => boolean;
  }) {
    this.#storage = host.storage;
    this.#env = host.env;
    this.#handlers = host.handlers;
    this.#view = host.view;
    this.#changed = host.changed;
    this.#isHeld = host.isHeld ?? (() => false);
  }

  /** The alarm fired. It does not wait, so that slow work delays no other. */
  wake(): void {
    this.#armedFor = null;
    this.#run();
    this.arm();
  }

  /** Runs due work to its end, and what becomes due through it. Work that hangs continues by itself. */
  async settle(): Promise<void> {
    const timer = new AbortController();
    const late = scheduler.wait(SETTLE_MS, { signal: timer.signal }).then(
      () => true,
      () => true,
    );
    for (let round = 0; round < ROUNDS; round++) {
      const isMore = this.#run();
      if (this.#working.size === 0 && !isMore) break;
      const settled = Promise.all([scheduler.wait(0), ...this.#working.values()]).then(() => false);
      if (await Promise.race([settled, late])) break;
    }
    // A remaining timer would keep the object in memory.
    timer.abort();
  }

  /** Waits for work in progress. False if it takes longer than that. */
  async isIdle(withinMs: number): Promise<boolean> {
    for (let waited = 0; this.#working.size > 0; waited += POLL_MS) {
      if (waited >= withinMs) return false;
      await scheduler.wait(POLL_MS);
    }
    return true;
  }

  /** Runs one row early. If it fails, it is left for the alarm. */
  async runNow(kind: DueKind, key: string): Promise<void> {
    await this.#working.get(`${kind} ${key}`);
    if (this.#isHeld()) return;
    await this.#start(kind, key, this.#view(`due-${crypto.randomUUID()}`));
  }

  /**
   * Sets the alarm for the next row, without waiting, so that it is stored together with the row. The org's clock may
   * be ahead of the real one, which alarms use.
   */
  arm(): void {
    this.#changed();
    const at = nextDueAt(this.#storage.sql);
    if (at === null) return;
    const alarmAt = Math.max(FIRST_ALARM, Date.now() + at - this.#view("arm").now);
    if (this.#armedFor === alarmAt) return;
    this.#armedFor = alarmAt;
    void this.#storage.setAlarm(alarmAt);
  }

  /**
   * Runs each row once. A row with more to do continues in the next alarm, and calls come in between. True if there is
   * one.
   */
  #run(): boolean {
    if (this.#isHeld()) return false;
    const ran = new Set<string>();
    for (let round = 0; round < ROUNDS; round++) {
      const view = this.#view(`due-${crypto.randomUUID()}`);
      const rows = dueBy(view.sql, view.now, AT_ONCE);
      const fresh = rows.filter(({ kind, key }) => !ran.has(`${kind} ${key}`));
      if (fresh.length === 0) return rows.length > 0;
      for (const { kind, key } of fresh) {
        ran.add(`${kind} ${key}`);
        void this.#start(kind, key, view);
      }
    }
    return true;
  }

  #start(kind: DueKind, key: string, view: View): Promise<void> | undefined {
    const failed = (error: unknown) => {
      logFailure(view.trace, error);
      this.#retryLater(kind, key);
    };
    try {
      const handler = this.#handlers[kind];
      if (handler === undefined) throw new Error(`nothing handles ${kind}`);
      const name = `${kind} ${key}`;
      if (handler.kind === "change" && !this.#working.has(name)) {
        const changed = fetchingAsNeeded(() =>
          performDue(this.#storage, this.#view(view.trace), (tx) => {
            tx.schedule(kind, key, null);
            handler.run(tx, key);
          }),
        );
        if (changed === undefined) return undefined;
        this.#retryLater(kind, key);
        return this.#follow(name, changed.catch(failed));
      }
      this.#retryLater(kind, key);
      const known = this.#working.get(name);
      if (known !== undefined || handler.kind === "change") return known;
      const context = { storage: this.#storage, env: this.#env, view: () => this.#view(view.trace) };
      return this.#follow(name, handler.run(context, key).catch(failed));
    } catch (error) {
      failed(error);
      return undefined;
    }
  }

  /** Work that goes on after this. */
  #follow(name: string, begun: Promise<void>): Promise<void> {
    const work = begun.finally(() => {
      this.#working.delete(name);
      this.arm();
    });
    this.#working.set(name, work);
    return work;
  }

  #retryLater(kind: DueKind, key: string): void {
    const { sql, now } = this.#view("retry");
    transaction(this.#storage, () => scheduleDue(sql, kind, key, now + RETRY_MS));
  }
}
