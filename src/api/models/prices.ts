import { listQuery, pageOf, toListQuery } from "../../contract/list.ts";
import { priceRevision } from "../../contract/resources/prices/prices.ts";
import { operation } from "../../edge/request/operation.ts";

const LIST = { sort: ["revision"] } as const;

export const listPrices = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/models/{model}/prices",
    summary: "List the revisions of a model's price",
    description:
      "Latest first. Prices of the platform's price book are listed from when this organization first used them.",
    role: "viewer",
    scope: "limits:read",
    freeParams: ["model"],
    query: listQuery(LIST),
    reply: { 200: pageOf(priceRevision) },
    refuses: [],
  },
  (call) => call.org.query("listPrices", { model: call.params.model, list: toListQuery(LIST, call.query) }),
);
