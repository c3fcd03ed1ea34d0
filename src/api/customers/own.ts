import { customerDetail } from "../../contract/resources/customers.ts";
import { operation } from "../../edge/request/operation.ts";
import { customerOf } from "../../edge/identity/customer.ts";

export const getOwnCustomer = operation(
  {
    method: "GET",
    path: "/v1/customer",
    summary: "Read how the customer of a token stands",
    description: "For customer tokens only.",
    role: "viewer",
    forCustomers: true,
    reply: { 200: customerDetail },
    refuses: [],
  },
  (call) => call.org.query("getCustomer", { customerId: customerOf(call), isOwn: true, days: null }),
);
