import { requestNumber } from "../domain/reservation-id.ts";

/** Requests that have reservations, by their numbers, and how far the object has told of them. */
export interface ToldRequests {
  readonly numbers: readonly number[];
  /** Where the next telling begins: the object's word, to be given back to it. */
  readonly mark: string;
}

const FROM_THE_START = "";
export const NONE_TOLD: ToldRequests = { numbers: [], mark: FROM_THE_START };

/** Of one org, and where a host keeps as many as it can. */
const MOST = 10_000;
const FEW = 100;
/** Of all orgs of a host: some 12 MB. */
const MOST_OF_ALL = 500_000;

/** Of an org that nothing was told of: most have no request ids, and keep nothing. */
const NONE = new Set<number>();

/** How many requests all gates of a host keep. */
export class HeardTotal {
  numbers = 0;
}

/**
 * The requests that the object knows to have a reservation, as far as it has told: another question under one of them is
 * for the object. It comes with the answer that brings slices, so whoever holds from a slice has heard of every request
 * that was reported before. Two numbers may be the same: the object then decides a call that it need not have. Two
 * generations: when the younger is full, the older goes.
 */
export class HeardRequests {
  #young = NONE;
  #old: ReadonlySet<number> = NONE;
  #mark = FROM_THE_START;
  readonly #total: HeardTotal;

  constructor(total: HeardTotal) {
    this.#total = total;
  }

  /** How far the object has told. */
  get mark(): string {
    return this.#mark;
  }

  /** Whether the request that a reservation's id belongs to is known. */
  has(id: string): boolean {
    if (this.#young.size === 0) return false;
    const number = requestNumber(id);
    return this.#young.has(number) || this.#old.has(number);
  }

  /** From an answer to what was asked with a mark: one with another mark than now leaves a gap, and counts for nothing. */
  learn(askedFrom: string, { numbers, mark }: ToldRequests): void {
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

  /** To be told from the start again: for an org whose traffic is over, which keeps nothing. */
  forget(): void {
    this.#total.numbers -= this.#young.size + this.#old.size;
    this.#young = NONE;
    this.#old = NONE;
    this.#mark = FROM_THE_START;
  }
}
