import { refuse } from "../../contract/refusal.ts";
import { customerToken, newCustomerToken } from "../../contract/resources/customers.ts";
import { mintOrgToken, tokenDigest } from "../../domain/key/org-token.ts";
import { operation } from "../../edge/request/operation.ts";

export const mintCustomerToken = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/customers/{customer_id}/tokens",
    summary: "Create a token for one customer",
    description:
      "A bearer token that reads `GET /v1/customer` and `GET /v1/customer/usage` of this customer, and nothing else. It ends with the key that made it.",
    role: "admin",
    scope: "customers:write",
    idempotent: true,
    freeParams: ["customer_id"],
    body: newCustomerToken,
    reply: { 201: customerToken },
    refuses: [],
  },
  async (call) => {
    const { id: orgId, customer_id: customerId } = call.params;
    if (customerId === "*") return refuse("not_found");
    const pepper = call.settings.SVC_KEY_PEPPER;
    const token = mintOrgToken(pepper, "customer", orgId);
    const { ttl_seconds: ttlSeconds } = call.body;
    const digest = tokenDigest(pepper, token);
    return call.org.command("mintCustomerToken", { customerId, ttlSeconds, digest, token });
  },
);
