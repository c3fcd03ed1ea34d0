import { operation } from "../../edge/request/operation.ts";
import { creditPack } from "../../contract/resources/credit-packs.ts";

export const getCreditPack = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/credit-packs/{pack_id}",
    summary: "Read a credit pack",
    role: "viewer",
    scope: "credits:read",
    reply: { 200: creditPack },
    refuses: [],
  },
  (call) => call.org.query("getCreditPack", { id: call.params.pack_id }),
);
