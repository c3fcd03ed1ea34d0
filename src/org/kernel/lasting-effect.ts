import type { Tx } from "./door.ts";

/**
 * Does what must remain, whether a refusal ends the call and rolls back its transaction, or only refuses one run of
 * many.
 */
export function keepOnRefusal(tx: Tx, effect: () => void): void {
  effect();
  tx.afterRefusal(effect);
}
