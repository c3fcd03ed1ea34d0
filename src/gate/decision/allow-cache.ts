import { isSameRequest, requestNumber } from "../../domain/reservation/reservation-id.ts";

/** An allow that was given lately, by the name or id of its reservation, and the batch in which its gate reports the hold. */
export interface RecentAllow<Gate> {
  readonly id: string;
  readonly text: string;
  readonly gate: Gate;
  readonly batch: number;
}

const MOST = 2_000;

/**
 * The recent allows of a host's gates, by their requests (which no two orgs share), so that a repeated request gets the
 * same bytes, and another fingerprint is noticed. There are two generations: when the newer is full, the older is dropped.
 * A dropped request gets the same name again, and the object, which has its hold by then, stores it once.
 */
export class AllowCache<Gate> {
  #young = new Map<number, RecentAllow<Gate>>();
  #old = new Map<number, RecentAllow<Gate>>();

  /** For the request of an id, whatever was asked. */
  get(id: string): RecentAllow<Gate> | undefined {
    // A number is found several times faster than a new text.
    const place = requestNumber(id);
    const young = this.#young.get(place);
    if (young !== undefined && isSameRequest(young.id, id)) return young;
    const old = this.#old.get(place);
    return old !== undefined && isSameRequest(old.id, id) ? old : undefined;
  }

  set(allow: RecentAllow<Gate>): void {
    if (this.#young.size >= MOST) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(requestNumber(allow.id), allow);
  }
}

/** Returns whether two allows name the same hold, with the same amount and end. */
export function isSameHold(one: string, other: string): boolean {
  const from = one.indexOf(RESERVATION);
  return from >= 0 && other.includes(one.slice(from, one.indexOf("}", from)));
}

const RESERVATION = '"reservation":{';
