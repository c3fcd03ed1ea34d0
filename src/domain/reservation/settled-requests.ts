import { hasSameFingerprint, requestNumber } from "./reservation-id.ts";

/**
 * The requests of which a reservation is settled, by fingerprint. A request that was decided in two half days has two ids, and one run. Ids are
 * told apart by the number of their request first: no part of them is copied for a call that was asked once.
 */
export class SettledRequests {
  readonly #byRequest = new Map<number, string[]>();

  /** The id of a reservation that is settled. */
  add(id: string): void {
    const number = requestNumber(id);
    const ids = this.#byRequest.get(number);
    if (ids === undefined) this.#byRequest.set(number, [id]);
    else ids.push(id);
  }

  /** Returns whether a reservation of its fingerprint is. */
  has(id: string): boolean {
    const ids = this.#byRequest.get(requestNumber(id));
    return ids !== undefined && ids.some((other) => hasSameFingerprint(other, id));
  }
}
