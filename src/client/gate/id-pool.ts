import type { ReservationNames } from "../../domain/reservation/reservation-id.ts";

const ENOUGH = 1000;
const FEW = 500;
/** An id says when it was given out, and a run that settles it must not come much later than that. */
const FRESH_MS = 60_000;

/** Reservation ids that the service has given this gate. It makes none up, and a request's own id is for the service. */
export class IdPool implements ReservationNames {
  #ids: { readonly id: string; readonly until: number }[] = [];
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** How many to ask for. */
  get wanted(): number {
    this.#drop();
    return this.#ids.length < FEW ? ENOUGH - this.#ids.length : 0;
  }

  add(ids: readonly string[]): void {
    const until = this.#now() + FRESH_MS;
    for (const id of ids) this.#ids.push({ id, until });
  }

  isReady(): boolean {
    this.#drop();
    return this.#ids.length > 0;
  }

  newId(): string {
    const next = this.#ids.pop();
    if (next === undefined) throw new Error("there are no ids left");
    return next.id;
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
    if ((this.#ids[0]?.until ?? Number.POSITIVE_INFINITY) > now) return;
    this.#ids = this.#ids.filter(({ until }) => until > now);
  }
}
