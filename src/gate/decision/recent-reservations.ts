import { requestNumber } from "../../domain/reservation/reservation-id.ts";

/** Requests with reservations, as numbers, and how far the object has told of them. */
export interface RequestTotals {
  readonly numbers: readonly number[];
  /** Where the next list starts: the object's value, which is sent back to it. */
  readonly mark: string;
}

const FROM_THE_START = "";
export const NO_REQUESTS: RequestTotals = { numbers: [], mark: FROM_THE_START };

/** The maximum for one org, as long as the host has room. */
const MOST = 10_000;
const FEW = 100;
/** The maximum for all orgs of a host: about 12 MB. */
const MOST_OF_ALL = 500_000;

/** For an org without any: most have no request ids, and store nothing. */
const NONE = new Set<number>();

/** How many requests all gates of a host keep. */
export class ReservationTotal {
  numbers = 0;
}

/**
 * The requests that the object has a reservation for, as far as it has told. Another fingerprint with one of their ids is
 * for the object. The list comes with the answer that brings slices, so an isolate that holds from a slice knows every
 * request that was reported before. Two requests may share a number: then the object decides a call that it need not
 * have. There are two generations: when the newer is full, the older is dropped.
 */
export class RecentReservations {
  #young = NONE;
  #old: ReadonlySet<number> = NONE;
  #mark = FROM_THE_START;
  readonly #total: ReservationTotal;

  constructor(total: ReservationTotal) {
    this.#total = total;
  }

  /** How far the object has told. */
  get mark(): string {
    return this.#mark;
  }

  /** Returns whether the request of a reservation's id is known. */
  has(id: string): boolean {
    if (this.#young.size === 0) return false;
    const number = requestNumber(id);
    return this.#young.has(number) || this.#old.has(number);
  }

  /**
   * From an answer to an ask with a mark. If the mark has changed since, the answer would leave a gap and is ignored.
   */
  merge(askedFrom: string, { numbers, mark }: RequestTotals): void {
    if (askedFrom !== this.#mark) return;
    this.#mark = mark;
    for (const number of numbers) this.#add(number);
  }

  #add(number: number): void {
    const most = this.#total.numbers < MOST_OF_ALL ? MOST : FEW;
    if (this.#young === NONE) this.#young = new Set();
    else if (this.#young.size >= most) {
      this.#total.numbers -= this.#old.size;
      this.#old = this.#young;
      this.#young = new Set();
    }
    const before = this.#young.size;
    this.#young.add(number);
    this.#total.numbers += this.#young.size - before;
  }

  /** Starts over: for an org without traffic, which stores nothing. */
  forget(): void {
    this.#total.numbers -= this.#young.size + this.#old.size;
    this.#young = NONE;
    this.#old = NONE;
    this.#mark = FROM_THE_START;
  }
}
