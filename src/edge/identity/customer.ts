import { isRefusal, type Refusal, refuse } from "../../contract/refusal.ts";
import { parseCidr } from "../../domain/network/address.ts";
import { tokenDigest } from "../../domain/key/org-token.ts";
import { presentDigest } from "../../domain/key/peppers.ts";
import { SNAPSHOT } from "../../gate/snapshot/snapshot.ts";
import type { Actor } from "../../org/kernel/door.ts";
import { peppersOf } from "../../settings.ts";
import type { Call } from "../request/call.ts";
import { doorOfToken } from "./org-token-door.ts";

/** A customer of an org, under a token that reads its own standing and usage. */

const CUSTOMER_ONLY = "A customer token reads only GET /v1/customer and GET /v1/customer/usage.";

export function isCustomerToken(bearer: string): boolean {
  return bearer.startsWith("svc_customer_");
}

type CustomerCall = Pick<Call, "env" | "settings" | "trace" | "address" | "judgedAt" | "caller">;

export async function identifyCustomer(call: CustomerCall, bearer: string): Promise<Refusal | null> {
  const asking: Actor = {
    kind: "customer",
    id: "customer",
    role: "viewer",
    onBehalfOf: null,
    address: call.address,
  };
  const door = await doorOfToken(call, "customer", bearer, asking);
  if (door === null) return refuse("unauthorized");
  const digest = presentDigest(peppersOf(call.settings), (pepper) => tokenDigest(pepper, bearer));
  const admitted = await door.query("admitCustomer", { digest });
  if (isRefusal(admitted)) return admitted.code === "not_found" ? refuse("unauthorized") : admitted;
  const { token_id: id, customer_id: customer, expires_at: expiresAt, org } = admitted.body;
  call.caller = {
    actor: { ...asking, id, onBehalfOf: customer },
    role: "viewer",
    scopes: new Set(),
    org: { id: org.id, snapshot: org, allowList: org.ipAllowList.flatMap((text) => parseCidr(text) ?? []) },
    customer,
    goodUntil: Math.min(call.judgedAt + SNAPSHOT.lifeMs, expiresAt - org.clockOffsetMs),
  };
  return null;
}

/** Operations for customers are for nobody else, and customers call no other. */
export function checkCustomer({ caller, op }: Call): Refusal | null {
  if ((caller?.customer === undefined) === (op.forCustomers !== true)) return null;
  const message = op.forCustomers === true ? "This operation requires a customer token." : CUSTOMER_ONLY;
  return refuse("forbidden", {}, { message });
}

/** Returns why a call is refused that anyone may make, but that comes with a customer token. Null if it does not. */
export async function refuseCustomer(
  call: CustomerCall,
  bearer: string | null,
): Promise<Refusal<"unauthorized" | "forbidden"> | null> {
  if (bearer === null || !isCustomerToken(bearer)) return null;
  if ((await identifyCustomer(call, bearer)) !== null) return refuse("unauthorized");
  return refuse("forbidden", {}, { message: CUSTOMER_ONLY });
}

export function customerOf({ caller }: Pick<Call, "caller">): string {
  if (caller?.customer === undefined) throw new Error("no customer is behind this call");
  return caller.customer;
}
