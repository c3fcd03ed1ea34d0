import { requestNumber } from "../../domain/reservation/reservation-id.ts";
import { latestIds } from "../decisions/open-holds.ts";
import type { RequestTotals } from "../../gate/decision/recent-reservations.ts";

const MOST = 20_000;
/** The part of a report's cost for this: about 40 kB. */
export const MOST_SENT = 4000;

/**
 * The requests that recently got a reservation, as numbers, to tell the isolates. In memory: after a restart the latest
 * are read from storage, and older marks start from the beginning.
 */
export class ReservedRequests {
  readonly #numbers = new Int32Array(MOST);
  readonly #life: string;
  #count = 0;

  constructor(life: string) {
    this.#life = life;
  }

  static stored(sql: SqlStorage, life: string): ReservedRequests {
    const requests = new ReservedRequests(life);
    // Includes ids of calls without a request id, which belong to no request.
    for (const id of latestIds(sql, MOST_SENT).toReversed()) requests.note(id);
    return requests;
  }

  /** The request that a reservation's id belongs to. */
  note(id: string): void {
    this.#numbers[this.#count % MOST] = requestNumber(id);
    this.#count += 1;
  }

  /** Returns the requests after a mark, or only the latest if there are too many. */
  since(mark: string): RequestTotals {
    const [life, count] = mark.split(" ");
    const from = life === this.#life ? Number(count) : 0;
    const numbers: number[] = [];
    for (let at = Math.max(from, this.#count - MOST_SENT); at < this.#count; at += 1) {
      numbers.push(this.#numbers[at % MOST] ?? 0);
    }
    return { numbers, mark: `${this.#life} ${this.#count}` };
  }
}
