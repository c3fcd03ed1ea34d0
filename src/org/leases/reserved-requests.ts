import { requestNumber } from "../../domain/reservation-id.ts";
import type { ToldRequests } from "../../gate/heard-requests.ts";

const MOST = 20_000;
/** An answer's part of a report's cost: some 40 kB. */
export const MOST_TOLD = 4000;

/**
 * The requests that got a reservation lately, as numbers, for the isolates to hear of. In memory: after a restart the latest
 * are read from what is stored, and marks of the life before begin at the start.
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
    // Ids of calls without a request id are among them, and are nobody's request.
    const rows = sql
      .exec<{ id: string }>("SELECT id FROM holds ORDER BY seq DESC LIMIT ?", MOST_TOLD)
      .toArray();
    for (const { id } of rows.toReversed()) requests.note(id);
    return requests;
  }

  /** The request that a reservation's id belongs to. */
  note(id: string): void {
    this.#numbers[this.#count % MOST] = requestNumber(id);
    this.#count += 1;
  }

  /** Those that came after a mark, the latest of them where they are too many. */
  since(mark: string): ToldRequests {
    const [life, count] = mark.split(" ");
    const from = life === this.#life ? Number(count) : 0;
    const numbers: number[] = [];
    for (let at = Math.max(from, this.#count - MOST_TOLD); at < this.#count; at += 1) {
      numbers.push(this.#numbers[at % MOST] ?? 0);
    }
    return { numbers, mark: `${this.#life} ${this.#count}` };
  }
}
