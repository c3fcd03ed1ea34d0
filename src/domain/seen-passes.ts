import { PASS_LIFE_MS, type RegionPass } from "./region-pass.ts";

/** Some 1,600 calls a second from other regions to one org, for as long as their passes are remembered. */
const MOST_PASSES = 50_000;
/** The clock of the region that made a pass may be ahead by as much as a pass lives. */
const REMEMBERED_MS = 2 * PASS_LIFE_MS;

/**
 * The passes that an object has taken, each once. They are kept in memory only: a new life of the object has a new epoch,
 * and takes no pass that was made for another. What cannot be remembered is not taken.
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
