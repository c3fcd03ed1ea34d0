import { type GaugeNamespace, type GaugeValue, shardOf } from "../../contract/metrics.ts";
import { logFailure } from "../../log.ts";

/** After something happened in the object, and while things keep happening. */
const SOON_MS = 1000;
const EVERY_MS = 5000;

/**
 * Tells the org's shard how the object stands: a moment after something happened, and not again for a while. Only what
 * changed is told.
 */
export class GaugeDesk {
  readonly #ctx: Pick<DurableObjectState, "waitUntil">;
  readonly #shards: GaugeNamespace;
  readonly #orgId: string;
  readonly #measure: () => GaugeValue[];
  readonly #told = new Map<string, number | null>();
  #toldAt = Number.NEGATIVE_INFINITY;
  #isTimed = false;

  constructor(init: {
    ctx: Pick<DurableObjectState, "waitUntil">;
    shards: GaugeNamespace;
    orgId: string;
    measure: () => GaugeValue[];
  }) {
    this.#ctx = init.ctx;
    this.#shards = init.shards;
    this.#orgId = init.orgId;
    this.#measure = init.measure;
  }

  /** Something happened that may have changed a value. */
  note(): void {
    if (this.#isTimed) return;
    this.#isTimed = true;
    const waitMs = Math.max(SOON_MS, this.#toldAt + EVERY_MS - Date.now());
    this.#ctx.waitUntil(this.#tellIn(waitMs));
  }

  async #tellIn(waitMs: number): Promise<void> {
    await scheduler.wait(waitMs);
    this.#isTimed = false;
    this.#toldAt = Date.now();
    try {
      const changed = this.#measure().filter(([name, value]) => this.#told.get(name) !== value);
      if (changed.length === 0) return;
      await this.#shards.getByName(shardOf(this.#orgId)).tell(this.#orgId, changed);
      for (const [name, value] of changed) this.#told.set(name, value);
    } catch (error) {
      logFailure("gauges", error);
    }
  }
}
