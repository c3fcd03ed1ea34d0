import { callerId } from "../../contract/ids.ts";
import { listQuery, pageOf, toListQuery } from "../../contract/list.ts";
import { operation } from "../../edge/request/operation.ts";
import { creditPack } from "../../contract/resources/credit-packs.ts";

const LIST = { sort: ["created_at"], filters: { customer_id: callerId } } as const;

export const listCreditPacks = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/credit-packs",
    summary: "List credit packs",
    role: "viewer",
    scope: "credits:read",
    query: listQuery(LIST),
    reply: { 200: pageOf(creditPack) },
    refuses: [],
  },
  (call) => call.org.query("listCreditPacks", toListQuery(LIST, call.query)),
);
