import { creditPack, newCreditPack } from "../../contract/resources/credit-packs.ts";
import { operation } from "../../edge/operation.ts";

export const createCreditPack = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/credit-packs",
    summary: "Grant credits to a customer",
    description:
      "Drawn by priority, then expiry, then age. A customer with a live pack is refused what its packs cannot cover.",
    role: "admin",
    scope: "credits:write",
    idempotent: true,
    body: newCreditPack,
    reply: { 201: creditPack },
    refuses: [],
  },
  (call) => call.org.command("createCreditPack", call.body),
);
