import { refuse } from "../../contract/refusal.ts";
import { formatUsd } from "../../domain/money.ts";
import { command, done } from "../kernel/door.ts";
import { Draft } from "../ledger/draft.ts";
import { endHold, letGo, loadHold } from "./store.ts";

/**
 * Releases a hold unused. Repeating it is not an error. An expired hold can be released too: after that, no run settles
 * it.
 */
export const releaseHold = command({
  action: "reservation.released",
  refuses: ["not_found", "conflict"],
  current: (view, input: { reservationId: string }) => loadHold(view.sql, input.reservationId),
  reservations: ({ reservationId }: { reservationId: string }) => [reservationId],
  run(tx, input: { reservationId: string }) {
    const hold = loadHold(tx.sql, input.reservationId);
    if (hold === null) return refuse("not_found");
    if (hold.status === "settled") {
      return refuse("conflict", {}, { message: "This reservation is already settled by a run." });
    }
    if (hold.status === "open") {
      const draft = new Draft(tx.sql, "decision", tx.now);
      letGo(draft, hold);
      draft.save();
    }
    if (hold.status !== "released") endHold(tx.sql, hold.id, "released", tx.now);
    const detail = { amount_usd: formatUsd(BigInt(hold.amount)), was: hold.status };
    return done(204, null, { target: hold.id, detail });
  },
});
