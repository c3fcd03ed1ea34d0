import { DUE } from "../../kernel/due-kinds.ts";
import type { Tx } from "../../kernel/door.ts";
import { ROLLUP_SIZE, nextToRollUp } from "./next.ts";

/** Adds up stored runs once there are enough of them. */
export function scheduleRollups(tx: Tx): void {
  if (nextToRollUp(tx.sql, ROLLUP_SIZE).length === 0) return;
  const [row] = tx.sql.exec("SELECT 1 FROM due WHERE kind = ? AND key = ''", DUE.runDigests).toArray();
  if (row === undefined) tx.schedule(DUE.runDigests, "", tx.now);
}
