import { DECISION } from "../../contract/decision.ts";
import { leaseExchange, leaseReply } from "../../contract/resources/edge-leases.ts";
import { answerExchange } from "../../edge/decision/exchange.ts";
import { operation } from "../../edge/request/operation.ts";

export const exchangeLeases = operation(
  {
    method: "POST",
    path: "/v1/edge/leases",
    summary: "Lease parts of the limits to a gate in your own process",
    description:
      "Used by `sluice/gate`. The gate reports what it has held, gives back what it does not need, and gets slices of the limits to decide from. The key is checked on every exchange. After it has ended, the gate can still report what it has held, and gets nothing.",
    role: DECISION.role,
    scope: DECISION.scope,
    servesEndedKeys: true,
    bodyLimit: "bulk",
    countedByRouteOnly: true,
    body: leaseExchange,
    reply: { 200: leaseReply },
    refuses: ["forbidden"],
  },
  (call) => answerExchange(call, call.body),
);
