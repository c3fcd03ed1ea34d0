import type { ReservationIds } from "../domain/reservation/reservation-id.ts";
import { unknownIds } from "./decisions/store.ts";
import { mayBeUnreported } from "./decisions/unreported-hold.ts";

/**
 * How long a caller waits for the report of its reservation. Constant in every deployment. Only the Worker's tests,
 * which share its isolate, shorten it.
 */
export const REPORTING = { patienceMs: 1500 } as const;
const REPORT_POLL_MS = 30;

interface Org {
  readonly sql: SqlStorage;
  readonly ids: ReservationIds;
  /** By the org's clock. */
  readonly now: () => number;
  /** True if the org is in this object: it may leave while somebody waits. */
  readonly isHere: () => boolean;
}

/** Reservations that an isolate may have made and not reported yet. */
export class UnreportedHolds {
  readonly #org: Org;

  constructor(org: Org) {
    this.#org = org;
  }

  get ids(): ReservationIds {
    return this.#org.ids;
  }

  mayBe(id: string): boolean {
    return mayBeUnreported(this.ids, id, this.#org.now());
  }

  /** A caller may be faster than the report of its own reservation. Isolates report several times a second. */
  async wait(ids: readonly string[]): Promise<void> {
    for (let waited = 0; waited < REPORTING.patienceMs; waited += REPORT_POLL_MS) {
      if (ids.length === 0 || !this.#org.isHere()) return;
      if (!unknownIds(this.#org.sql, ids).some((id) => this.mayBe(id))) return;
      await scheduler.wait(REPORT_POLL_MS);
    }
  }
}
