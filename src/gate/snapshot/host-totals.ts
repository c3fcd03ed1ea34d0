import { HeardTotal } from "../decision/recent-reservations.ts";
import { WaitingTotal } from "../report/refusal-outbox.ts";
import { LimitSetTotal } from "../decision/limit-sets.ts";

/** What all gates of a host count together, so that its memory is bounded. */
export interface HostTotals {
  readonly heard: HeardTotal;
  readonly waiting: WaitingTotal;
  readonly touched: LimitSetTotal;
}

export function newTotals(): HostTotals {
  return { heard: new HeardTotal(), waiting: new WaitingTotal(), touched: new LimitSetTotal() };
}
