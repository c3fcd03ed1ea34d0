import { ReservationTotal } from "../decision/recent-reservations.ts";
import { WaitingTotal } from "../report/refusal-outbox.ts";
import { LimitSetTotal } from "../decision/limit-sets.ts";

/** The totals of all gates of a host, so that its memory is bounded. */
export interface HostTotals {
  readonly reservations: ReservationTotal;
  readonly waiting: WaitingTotal;
  readonly limitSets: LimitSetTotal;
}

export function newTotals(): HostTotals {
  return {
    reservations: new ReservationTotal(),
    waiting: new WaitingTotal(),
    limitSets: new LimitSetTotal(),
  };
}
