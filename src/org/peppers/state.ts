import { pepperMark } from "../../domain/key/peppers.ts";
import { reservationKey } from "../../domain/reservation/reservation-id.ts";
import { encrypt, decryptAny, ENCRYPTED_FOR } from "../../domain/key/encrypt.ts";
import { peppersOf, type Settings } from "../../settings.ts";
import { signerOf } from "../kernel/audit/ends.ts";
import type { View } from "../kernel/door.ts";
import { DUE } from "../kernel/due-kinds.ts";
import { scheduleDue } from "../kernel/due/table.ts";
import { insertRow } from "../../storage/rows.ts";

type Row = { mark: string; since: number; sealed: string };

export function pepperState(sql: SqlStorage): Row | undefined {
  return sql.exec<Row>("SELECT mark, since, sealed FROM pepper_state").toArray()[0];
}

/** Returns what the org's reservations are named with, if it is kept. Null if the pepper gives it. */
export function storedReservationKey(sql: SqlStorage, settings: Settings): string | null {
  const row = pepperState(sql);
  return row === undefined ? null : decryptAny(peppersOf(settings), ENCRYPTED_FOR.reservationKey, row.sealed);
}

/**
 * Notes that the pepper is being changed, once for each current one, and has everything encrypted anew. Before anything is
 * written under a new pepper, the org keeps what its reservations are named with. The end of its audit trail tells which
 * pepper it has worked with until now. True if something is due.
 */
export function notePepperChange(view: View): boolean {
  const { sql, settings, orgId, now } = view;
  const [current, other] = peppersOf(settings);
  if (other === undefined) return false;
  const mark = pepperMark(current);
  const row = pepperState(sql);
  if (row === undefined) {
    const key = reservationKey(signerOf(view, "head") ?? current, orgId);
    const sealed = encrypt(current, ENCRYPTED_FOR.reservationKey, key);
    insertRow(sql, "pepper_state", { only: 1, mark, since: now, sealed });
  } else if (row.mark === mark) return false;
  else sql.exec("UPDATE pepper_state SET mark = ?, since = ?", mark, now);
  scheduleDue(sql, DUE.reencrypt, "", now);
  return true;
}
