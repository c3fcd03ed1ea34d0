import { HeardTotal } from "./heard-requests.ts";
import { WaitingTotal } from "./refusal-outbox.ts";
import { TouchTotal } from "./touches.ts";

/** What all gates of a host count together, so that its memory is bounded. */
export interface HostTotals {
  readonly heard: HeardTotal;
  readonly waiting: WaitingTotal;
  readonly touched: TouchTotal;
}

export function newTotals(): HostTotals {
  return { heard: new HeardTotal(), waiting: new WaitingTotal(), touched: new TouchTotal() };
}
