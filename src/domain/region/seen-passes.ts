import { PASS_LIFE_MS, type RegionPass } from "./pass.ts";

/** Enough for about 1,600 calls per second from other regions to one org. */
const MOST_PASSES = 50_000;
/** The clock of the sending region may be ahead by up to the lifetime of a pass. */
const REMEMBERED_MS = 2 * PASS_LIFE_MS;

/**
 * The passes that an object has accepted. They are kept in memory only: after a restart the object has a new epoch and
 * refuses passes made for an earlier one. If a pass cannot be remembered, it is refused.
 */
export class SeenPasses {
  readonly epoch: string;
  readonly #forgetAt = new Map<string, number>();

  constructor(epoch: string) {
    this.epoch = epoch;
  }

  take({ nonce, epoch }: Pick<RegionPass, "nonce" | "epoch">, now: number): boolean {
    for (const [old, forgetAt] of this.#forgetAt) {
      if (forgetAt > now) break;
      this.#forgetAt.delete(old);
    }
    if (epoch !== this.epoch || this.#forgetAt.has(nonce) || this.#forgetAt.size >= MOST_PASSES) return false;
    this.#forgetAt.set(nonce, now + REMEMBERED_MS);
    return true;
  }
}
