import { customerPage, customerPart } from "../../contract/resources/customers.ts";
import { type ListSpec, listQuery, toListQuery } from "../../contract/list.ts";
import { operation } from "../../edge/request/operation.ts";
import { type DayBounds, earnedDays } from "./revenue.ts";

const LIST: ListSpec = {
  sort: ["customer_id"],
  ascending: true,
  range: true,
  filters: { contains: customerPart },
};

export const listCustomers = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/customers",
    summary: "List customers and how they stand",
    description:
      "Every customer that has spent, has a limit or credit pack of its own, or was set, by id. `from` and `to` are the days (UTC) of `revenue_usd` and `margin_usd`; default: this month. With `contains`, only customers whose name contains this text or whose id begins with it: exact matches first, then names and ids that begin with it, in one page.",
    role: "viewer",
    scope: "customers:read",
    query: listQuery({ ...LIST, sort: ["customer_id"] }),
    reply: { 200: customerPage },
    refuses: [],
  },
  (call) => {
    const list = toListQuery(LIST, call.query);
    return call.org.query("listCustomers", { list, days: earnedDays(call, call.query as DayBounds) });
  },
);
