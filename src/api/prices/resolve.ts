import { priceQuery, resolvedPrice } from "../../contract/resources/prices/resolved-price.ts";
import { operation } from "../../edge/request/operation.ts";

export const resolvePrice = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/prices/resolve",
    summary: "Find the price of a call",
    description:
      "Which row would price a call that names this provider and model now, and why; or why no row would.",
    role: "viewer",
    scope: "limits:read",
    query: priceQuery,
    reply: { 200: resolvedPrice },
    refuses: [],
  },
  (call) => call.org.query("resolvePrice", call.query),
);
