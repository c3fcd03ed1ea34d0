import { creditPack, newCreditPack } from "../../contract/resources/credit-packs.ts";
import { operation } from "../../edge/request/operation.ts";

export const createCreditPack = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/credit-packs",
    summary: "Grant credits to a customer",
    description:
      "Packs are used by priority, then expiry, then age. Once a customer has an active pack, runs that its packs cannot cover are refused.",
    role: "admin",
    scope: "credits:write",
    idempotent: true,
    body: newCreditPack,
    reply: { 201: creditPack },
    refuses: [],
  },
  (call) => call.org.command("createCreditPack", call.body),
);
