import type { ReservationNames } from "../../domain/reservation/reservation-id.ts";

/** For a gate that has few calls, and for one that has used up half of those between two exchanges. */
const FEW = 100;
const MANY = 1000;
/** An id says when it was given out, and a run that settles it must not come much later than that. */
const FRESH_MS = 60_000;

/** Reservation ids that the service has given this gate. It makes none up, and a request's own id is for the service. */
export class IdPool implements ReservationNames {
  #batches: { readonly ids: string[]; readonly until: number }[] = [];
  #most = FEW;
  #used = 0;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  get size(): number {
    return this.#batches.reduce((sum, { ids }) => sum + ids.length, 0);
  }

  /** How many to ask for. */
  get wanted(): number {
    this.#drop();
    const { size } = this;
    return size < this.#most / 2 ? this.#most - size : 0;
  }

  add(ids: readonly string[]): void {
    this.#most = this.#used >= FEW / 2 ? MANY : FEW;
    this.#used = 0;
    if (ids.length > 0) this.#batches.push({ ids: [...ids], until: this.#now() + FRESH_MS });
  }

  isReady(): boolean {
    this.#drop();
    return this.#batches.length > 0;
  }

  newId(): string {
    const batch = this.#batches.at(-1);
    const next = batch?.ids.pop();
    if (next === undefined) throw new Error("there are no ids left");
    if (batch?.ids.length === 0) this.#batches.pop();
    this.#used += 1;
    return next;
  }

  nameOf(): null {
    return null;
  }

  dated(name: string): string {
    throw new Error(`only the service can date ${name}`);
  }

  /** The oldest are first, and all that came together end together. */
  #drop(): void {
    const now = this.#now();
    if ((this.#batches[0]?.until ?? Number.POSITIVE_INFINITY) > now) return;
    this.#batches = this.#batches.filter(({ until }) => until > now);
  }
}
