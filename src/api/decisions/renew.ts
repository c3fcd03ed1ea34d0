import { DECISION, RENEWAL_PATH } from "../../contract/decision.ts";
import { DECISION_DENIALS } from "../../contract/decision-codes.ts";
import { renewedReservation, reservationRenewal } from "../../contract/resources/decisions/decisions.ts";
import { operation } from "../../edge/request/operation.ts";

export const renewReservation = operation(
  {
    method: "POST",
    path: RENEWAL_PATH,
    summary: "Renew a reservation",
    description:
      "Keeps an open reservation for longer, and changes its amount. A higher amount is checked like a decision. If it is refused, the reservation stays as it was.",
    role: DECISION.role,
    scope: DECISION.scope,
    givesBack: true,
    repeatable: true,
    body: reservationRenewal,
    reply: { 200: renewedReservation },
    refuses: [...DECISION_DENIALS, "conflict"],
  },
  (call) => call.org.command("renewHold", { reservationId: call.params.reservation_id, ...call.body }),
);
