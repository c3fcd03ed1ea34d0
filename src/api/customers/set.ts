import { refuse } from "../../contract/refusal.ts";
import { customerStanding, newCustomer } from "../../contract/resources/customers.ts";
import { operation } from "../../edge/request/operation.ts";

export const setCustomer = operation(
  {
    method: "PUT",
    path: "/v1/orgs/{id}/customers/{customer_id}",
    summary: "Set what a customer is called and pays",
    description:
      "Replaces what was set before. With `revenue`, the customer, lists and reports by customer have `revenue_usd` and `margin_usd`. It changes no limit.",
    role: "admin",
    scope: "customers:write",
    ifMatch: true,
    dryRun: true,
    freeParams: ["customer_id"],
    body: newCustomer,
    reply: { 200: customerStanding },
    refuses: ["conflict"],
  },
  (call) => {
    const { customer_id: customerId } = call.params;
    if (customerId === "*") return Promise.resolve(refuse("not_found"));
    return call.org.command("setCustomer", { customerId, ...call.body });
  },
);
