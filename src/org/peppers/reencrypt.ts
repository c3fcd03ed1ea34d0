import { tryDecrypt, encrypt } from "../../domain/key/encrypt.ts";
import { logFailure } from "../../log.ts";
import { peppersOf } from "../../settings.ts";
import { readEnd, signerOf, writeEnd } from "../kernel/audit/ends.ts";
import type { Tx } from "../kernel/door.ts";
import { DUE } from "../kernel/due-kinds.ts";
import type { DueHandler } from "../kernel/due/handler.ts";
import { forgetSubscriptions } from "../webhooks/subscriptions.ts";
import { ENCRYPTED_COLUMNS, staleValues } from "./encrypted-columns.ts";

const AT_ONCE = 500;

/** Encrypts anew what is encrypted under the pepper before, and signs the ends of the audit trail anew. */
export const reencryptAll: DueHandler = {
  kind: "change",
  run(tx) {
    const [current, other] = peppersOf(tx.settings);
    if (other === undefined) return;
    let room = AT_ONCE;
    for (const place of ENCRYPTED_COLUMNS) {
      for (const { id, sealed } of staleValues(tx.sql, tx.settings, place)) {
        const text = tryDecrypt(other, place.purpose, sealed);
        if (text === null) {
          logFailure(tx.trace, new Error(`a value of ${place.table} opens under neither pepper`));
          continue;
        }
        if (room === 0) return tx.schedule(DUE.reencrypt, "", tx.now);
        room -= 1;
        const anew = encrypt(current, place.purpose, text);
        tx.sql.exec(`UPDATE ${place.table} SET sealed = ? WHERE ${place.key} = ?`, anew, id);
        if (place.table === "webhook_subscriptions") forgetSubscriptions(tx.sql);
      }
    }
    signEnds(tx, other);
  },
};

/** An end that is not genuine stays as it is: the trail must go on showing it. */
function signEnds(tx: Tx, other: string): void {
  for (const name of ["head", "anchor"] as const) {
    const end = readEnd(tx, name);
    if (end !== undefined && signerOf(tx, name) === other) writeEnd(tx, name, end);
  }
}
