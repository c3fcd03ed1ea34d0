import { operation } from "../../edge/request/operation.ts";

export const releaseReservation = operation(
  {
    method: "DELETE",
    path: "/v1/edge/decision/{reservation_id}",
    summary: "Release a reservation",
    role: "developer",
    scope: "decisions:evaluate",
    ifMatch: true,
    endsReservations: true,
    reply: { 204: null },
    refuses: ["conflict"],
  },
  (call) => call.org.command("releaseHold", { reservationId: call.params.reservation_id }),
);
