import { LEASE } from "./protocol.ts";

/**
 * The org's time, as an isolate knows it. An answer says what the time was when it was written: after it was asked for, and
 * before it came. So each answer bounds how far the org's clock is ahead from both sides, and all of them together bound it
 * closely. The isolate goes by the lower bound: what it takes for the org's time is never ahead of it.
 */
export class OrgClock {
  #bounds: { readonly leastMs: number; readonly mostMs: number } | null = null;
  /** The widest bounds since the holds began that are not reported yet, and since the last report was sent. */
  #unreportedMs = 0;
  #sinceSentMs = 0;

  /** Null until something was learned. */
  at(now: number): number | null {
    return this.#bounds === null ? null : now + this.#bounds.leastMs;
  }

  /** From an answer of then to what was asked then. */
  learn(orgNow: number, askedAt: number, now: number): void {
    const told = { leastMs: orgNow - now, mostMs: orgNow - askedAt };
    const known = this.#bounds ?? told;
    const leastMs = Math.max(known.leastMs, told.leastMs);
    const mostMs = Math.min(known.mostMs, told.mostMs);
    // Bounds that exclude each other are of a clock that was set since.
    this.#bounds = leastMs <= mostMs ? { leastMs, mostMs } : told;
    this.#unreportedMs = Math.max(this.#unreportedMs, this.#widthMs());
    this.#sinceSentMs = Math.max(this.#sinceSentMs, this.#widthMs());
  }

  /** For a report that is sent now: by how much any hold in it may have been made later than it says. */
  sent(): number {
    this.#sinceSentMs = this.#widthMs();
    return this.#unreportedMs + LEASE.guardMs;
  }

  /** The object has taken the report that was sent last. */
  acknowledged(): void {
    this.#unreportedMs = this.#sinceSentMs;
  }

  #widthMs(): number {
    return this.#bounds === null ? 0 : this.#bounds.mostMs - this.#bounds.leastMs;
  }
}
