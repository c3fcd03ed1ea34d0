import type { Tx } from "./door.ts";

/** Does what must stay whether a refusal ends the call, and with it the transaction, or only one run of many. */
export function staying(tx: Tx, effect: () => void): void {
  effect();
  tx.afterRefusal(effect);
}
