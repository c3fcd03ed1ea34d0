import { LEASE } from "./protocol.ts";

/**
 * The org's time, as an isolate knows it. An answer contains the time at which it was written, which is after it was
 * requested and before it arrived. So each answer bounds from both sides how far the org's clock is ahead, and all of
 * them together bound it closely. The isolate uses the lower bound, so its estimate is never ahead of the org's time.
 */
export class OrgClock {
  #bounds: { readonly leastMs: number; readonly mostMs: number } | null = null;
  /** The widest bounds since the first unreported hold, and since the last report was sent. */
  #unreportedMs = 0;
  #sinceSentMs = 0;

  /** Null until an answer was received. */
  at(now: number): number | null {
    return this.#bounds === null ? null : now + this.#bounds.leastMs;
  }

  /** Learns from an answer to what was asked then. */
  set(orgNow: number, askedAt: number, now: number): void {
    const bounds = { leastMs: orgNow - now, mostMs: orgNow - askedAt };
    const known = this.#bounds ?? bounds;
    const leastMs = Math.max(known.leastMs, bounds.leastMs);
    const mostMs = Math.min(known.mostMs, bounds.mostMs);
    // If bounds exclude each other, the clock was changed.
    this.#bounds = leastMs <= mostMs ? { leastMs, mostMs } : bounds;
    this.#unreportedMs = Math.max(this.#unreportedMs, this.#widthMs());
    this.#sinceSentMs = Math.max(this.#sinceSentMs, this.#widthMs());
  }

  /** For a report that is sent now: by how much any hold in it may have been made later than it says. */
  sent(): number {
    this.#sinceSentMs = this.#widthMs();
    return this.#unreportedMs + LEASE.guardMs;
  }

  /** The object has taken the last report. */
  acknowledged(): void {
    this.#unreportedMs = this.#sinceSentMs;
  }

  #widthMs(): number {
    return this.#bounds === null ? 0 : this.#bounds.mostMs - this.#bounds.leastMs;
  }
}
