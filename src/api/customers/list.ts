import { customerPage } from "../../contract/resources/customers.ts";
import { type ListSpec, listQuery, toListQuery } from "../../contract/list.ts";
import { operation } from "../../edge/operation.ts";

const LIST: ListSpec = { sort: ["customer_id"], ascending: true };

export const listCustomers = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/customers",
    summary: "List customers and how they stand",
    description: "Every customer that has spent, or has a limit or credit pack of its own, by id.",
    role: "viewer",
    scope: "customers:read",
    query: listQuery({ ...LIST, sort: ["customer_id"] }),
    reply: { 200: customerPage },
    refuses: [],
  },
  (call) => call.org.query("listCustomers", toListQuery(LIST, call.query)),
);
