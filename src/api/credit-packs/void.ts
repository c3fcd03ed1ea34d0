import { noFields } from "../../contract/shapes.ts";
import { operation } from "../../edge/request/operation.ts";
import { creditPack } from "../../contract/resources/credit-packs.ts";

export const voidCreditPack = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/credit-packs/{pack_id}/void",
    summary: "Void a credit pack",
    description: "The remaining credits are lost. Past charges are kept.",
    role: "admin",
    scope: "credits:write",
    idempotent: true,
    ifMatch: true,
    body: noFields,
    reply: { 200: creditPack },
    refuses: ["conflict"],
  },
  (call) => call.org.command("voidCreditPack", { id: call.params.pack_id }),
);
