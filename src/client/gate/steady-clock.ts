/** Below what a slice's end is guarded by, and above the grain of the clocks. */
const JUMP_MS = 10;

/**
 * Milliseconds that never go back. A slice ends after so many of them, and the machine's own clock may be set back before that.
 * It may be set ahead as well, or a monotonic clock may stand still while the machine sleeps: then this one goes ahead too, and
 * slices end early. How it is apart from the org's clock is learned from each answer.
 */
export class SteadyClock {
  /** How far the wall clock was ahead of the monotonic one when they last moved apart. */
  #apartMs = Date.now() - performance.now();
  #aheadMs = this.#apartMs;

  now(): number {
    const monotonic = performance.now();
    const apartMs = Date.now() - monotonic;
    if (Math.abs(apartMs - this.#apartMs) > JUMP_MS) {
      this.#aheadMs += Math.max(0, apartMs - this.#apartMs);
      this.#apartMs = apartMs;
    }
    return Math.floor(monotonic + this.#aheadMs);
  }
}
