import { isSameRequest, requestNumber } from "../domain/reservation-id.ts";
import type { OrgGate } from "./org-gate.ts";

/** An allow that was given lately, by the id of its reservation, and the batch in which its gate reports the hold. */
export interface RecentAllow {
  readonly id: string;
  readonly text: string;
  readonly gate: OrgGate;
  readonly batch: number;
}

const MOST = 2_000;

/**
 * The allows that a host's gates have given lately, by their requests (which no two orgs share), so that asking again gets the
 * same answer to the byte, and asking something else is noticed. Two generations: when the younger is full, the older goes.
 * A request that has gone is named alike again, and its hold, which the object has by then, is kept once.
 */
export class Recent {
  #young = new Map<number, RecentAllow>();
  #old = new Map<number, RecentAllow>();

  /** Of the request that an id belongs to, whatever was asked. */
  get(id: string): RecentAllow | undefined {
    // A number is found several times as fast as a text that is new each time.
    const place = requestNumber(id);
    const young = this.#young.get(place);
    if (young !== undefined && isSameRequest(young.id, id)) return young;
    const old = this.#old.get(place);
    return old !== undefined && isSameRequest(old.id, id) ? old : undefined;
  }

  set(allow: RecentAllow): void {
    if (this.#young.size >= MOST) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(requestNumber(allow.id), allow);
  }
}

/** Whether two allows name the same hold, with the same amount and the same end. */
export function isSameHold(one: string, other: string): boolean {
  const from = one.indexOf(RESERVATION);
  return from >= 0 && other.includes(one.slice(from, one.indexOf("}", from)));
}

const RESERVATION = '"reservation":{';
