import { newTotals } from "./snapshot/host-totals.ts";
import { OrgGate } from "./org-gate.ts";
import { AllowCache } from "./decision/allow-cache.ts";

/** An org with five limits in traffic takes about 10 kB, and an isolate has 128 MB for everything. */
export const MOST_ORGS = 5000;
const MOST_LOOKS = 16;

/**
 * The orgs that one host decides for, with one instance for each isolate. An org with nothing outstanding may be
 * forgotten, and loses nothing.
 */
export class Gates {
  readonly #gates = new Map<string, OrgGate>();
  readonly #allows = new AllowCache<OrgGate>();
  readonly #totals = newTotals();
  readonly #newHolder: () => string;

  /** `newHolder` returns a unique name for each gate. */
  constructor(newHolder: () => string) {
    this.#newHolder = newHolder;
  }

  known(orgId: string): OrgGate | undefined {
    return this.#gates.get(orgId);
  }

  /** Null if the isolate is full. Then the org's object decides every call. */
  of(orgId: string): OrgGate | null {
    const known = this.#gates.get(orgId);
    if (known !== undefined) return known;
    if (this.#gates.size >= MOST_ORGS && !this.#forgetIdle()) return null;
    const gate = new OrgGate(this.#newHolder(), this.#allows, this.#totals);
    this.#gates.set(orgId, gate);
    return gate;
  }

  /** A reservation of the org was ended through this host. */
  freed(orgId: string, now: number): void {
    this.#gates.get(orgId)?.freed(now);
  }

  /** Checks only the oldest, because idle orgs collect there, and a full scan would slow down every new org. */
  #forgetIdle(): boolean {
    let looked = 0;
    for (const [orgId, gate] of this.#gates) {
      if (gate.idle) {
        gate.forget();
        this.#gates.delete(orgId);
        return true;
      }
      this.#gates.delete(orgId);
      this.#gates.set(orgId, gate);
      looked += 1;
      if (looked >= MOST_LOOKS) return false;
    }
    return false;
  }
}
