import { type Refusal, refuse } from "../../contract/refusal.ts";
import { formatUsd } from "../../domain/price/money.ts";
import { command, type Done, done, type Tx } from "../kernel/door.ts";
import { UnitOfWork } from "../ledger/unit-of-work.ts";
import { holdRequestOf } from "./hold-request.ts";
import { giveBackDollars } from "./rate-corrections.ts";
import { endHold, type HoldRow, insertHold, giveBackHold, loadHold } from "./store.ts";
import { unreportedHold } from "./unreported-hold.ts";

/**
 * Releases a hold unused. Repeating it is not an error. An expired hold can be released too: after that, no run settles
 * it. So can one that no isolate has reported: if the report comes after all, nothing is held for it.
 */
export const releaseHold = command({
  action: "reservation.released",
  usesWal: true,
  refuses: ["not_found", "conflict"],
  current: (view, input: { reservationId: string }) => loadHold(view.sql, input.reservationId),
  reservations: ({ reservationId }: { reservationId: string }) => [reservationId],
  run(tx, input: { reservationId: string }) {
    const hold = loadHold(tx.sql, input.reservationId);
    if (hold === null) return releaseUnreported(tx, input.reservationId);
    if (hold.status === "settled") {
      return refuse("conflict", {}, { message: "This reservation is already settled by a run." });
    }
    if (isCharged(hold, tx.now)) {
      const message =
        "This reservation has expired and was charged. Report its run with reservation_id to replace the estimate.";
      return refuse("conflict", {}, { message });
    }
    if (hold.status === "open") {
      const work = new UnitOfWork(tx.sql, "decision", tx.now);
      giveBackHold(work, hold);
      work.save();
    }
    if (hold.status !== "released") {
      giveBackDollars(tx.rates(), hold, Number(hold.amount));
      endHold(tx.sql, hold.id, "released", tx.now);
    }
    const detail = { amount_usd: formatUsd(BigInt(hold.amount)), was: hold.status };
    return done(204, null, { target: hold.id, detail });
  },
});

function releaseUnreported(tx: Tx, id: string): Done<null> | Refusal<"not_found"> {
  if (!tx.mayBeUnreported(id)) return refuse("not_found");
  const hold = unreportedHold(tx.reservationIds(), id, tx.now);
  insertHold(tx.sql, { ...hold, status: "released", ended_at: tx.now });
  return done(204, null, { target: id, detail: { was: "unreported" } });
}

/** Its time is up, and what it held is charged, or is about to be. */
function isCharged(hold: HoldRow, now: number): boolean {
  const isOver = hold.status === "expired" || (hold.status === "open" && hold.expires_at <= now);
  return isOver && holdRequestOf(hold)?.isCharged === true;
}
