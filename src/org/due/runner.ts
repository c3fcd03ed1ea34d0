import { logFailure } from "../../log.ts";
import type { OrgEnv, View } from "../door.ts";
import { DUE_HANDLERS } from "../due-handlers.ts";
import { performDue } from "../perform.ts";
import { dueBy, nextDueAt, scheduleDue } from "./table.ts";

const AT_ONCE = 100;
const ROUNDS = 1000;
const RETRY_MS = 30_000;

/**
 * Runs what has fallen due. A row goes only with the work that it stands for: a handler that fails leaves it, moved
 * a little ahead, so that an alarm which the platform gives up on is not the end of it.
 */
export class DueRunner {
  readonly #storage: DurableObjectStorage;
  readonly #env: OrgEnv;
  readonly #view: (trace: string) => View;

  constructor(storage: DurableObjectStorage, env: OrgEnv, view: (trace: string) => View) {
    this.#storage = storage;
    this.#env = env;
    this.#view = view;
  }

  async run(): Promise<void> {
    for (let round = 0; round < ROUNDS; round++) {
      const view = this.#view(`due-${crypto.randomUUID()}`);
      const rows = dueBy(view.sql, view.now, AT_ONCE);
      if (rows.length === 0) return;
      await Promise.all(rows.map((row) => this.#runOne(row.kind, row.key, view)));
    }
  }

  /** Runs one row ahead of its time; a failure leaves it for the alarm. */
  async runNow(kind: string, key: string): Promise<void> {
    await this.#runOne(kind, key, this.#view(`due-${crypto.randomUUID()}`));
  }

  async #runOne(kind: string, key: string, view: View): Promise<void> {
    try {
      const handler = DUE_HANDLERS[kind];
      if (handler === undefined) throw new Error(`nothing handles ${kind}`);
      if (handler.kind === "work") {
        this.#storage.transactionSync(() => scheduleDue(view.sql, kind, key, view.now + RETRY_MS));
        await handler.run(
          { storage: this.#storage, env: this.#env, view: () => this.#view(view.trace) },
          key,
        );
      } else {
        performDue(this.#storage, view, (tx) => {
          tx.schedule(kind, key, null);
          handler.run(tx, key);
        });
      }
    } catch (error) {
      logFailure(view.trace, error);
      this.#storage.transactionSync(() => scheduleDue(view.sql, kind, key, view.now + RETRY_MS));
    }
  }

  /** Sets the alarm for the next row. The org's clock may run ahead of the real one; alarms go by the real one. */
  async arm(offsetMs: number): Promise<void> {
    const at = nextDueAt(this.#storage.sql);
    if (at === null) return;
    const alarm = await this.#storage.getAlarm();
    if (alarm === null || alarm > at - offsetMs) await this.#storage.setAlarm(at - offsetMs);
  }
}
