import { customerDetail, customerQuery } from "../../contract/resources/customers.ts";
import { operation } from "../../edge/request/operation.ts";
import { earnedDays } from "./revenue.ts";

export const getCustomer = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/customers/{customer_id}",
    summary: "Read how a customer stands",
    description: "What it spent, its limits and credit packs, what is left, and when it resets.",
    role: "viewer",
    scope: "customers:read",
    freeParams: ["customer_id"],
    query: customerQuery,
    reply: { 200: customerDetail },
    refuses: [],
  },
  (call) =>
    call.org.query("getCustomer", {
      customerId: call.params.customer_id,
      isOwn: false,
      days: earnedDays(call, call.query),
    }),
);
