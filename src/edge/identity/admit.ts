import { roleIncludes } from "../../contract/access.ts";
import { isCallerId, SAFE_ID } from "../../contract/bounds.ts";
import { lackingScope, scopesNeeded } from "../../contract/operation.ts";
import { type Refusal, refuse } from "../../contract/refusal.ts";
import { addressAllowed } from "../../domain/network/address.ts";
import { type Call, orgInPath } from "../request/call.ts";

/** These checks say what an authenticated caller may do. They do not need the body and run in the contract's order. */

/** A path with an invalid percent-encoding names nothing, so there is no field to point at. */
export function checkPath(call: Call): Refusal | null {
  const { url } = call;
  // Below its own path, the path is that of another call.
  if (!url.includes("%") || call.op.anyMethod === true) return null;
  try {
    decodeURIComponent(new URL(url).pathname);
    return null;
  } catch {
    return refuse("bad_request", {}, { message: "The path contains an invalid percent-encoding." });
  }
}

export function checkOrgActive(call: Call): Refusal | null {
  return call.caller?.org?.snapshot.status === "suspended" ? refuse("org_suspended") : null;
}

export function checkAddress(call: Call): Refusal | null {
  const list = call.caller?.org?.allowList;
  if (list === undefined || list.length === 0) return null;
  return addressAllowed(list, call.address) ? null : refuse("ip_not_allowed");
}

/** Another tenant's org and an invalid id look the same as an org that does not exist. */
export function checkTenant(call: Call): Refusal | null {
  for (const [name, value] of Object.entries(call.params)) {
    if (call.op.freeParams?.includes(name) === true) {
      if (!mayBeNamed(name, value)) return refuse("not_found");
    } else if (!SAFE_ID.test(value)) return refuse("not_found");
  }
  const asked = orgInPath(call.op, call.params);
  const own = call.caller?.org?.id;
  return asked !== null && own !== undefined && asked !== own ? refuse("not_found") : null;
}

/** Models are named as their providers name them, in any characters. Whoever stores a price checks its length. */
function mayBeNamed(param: string, value: string): boolean {
  return param === "model" ? value !== "" : isCallerId(value);
}

export function checkRole(call: Call): Refusal | null {
  const { role } = call.op;
  if (role === "anyone" || call.caller === null) return null;
  if (!roleIncludes(call.caller.role, role)) return refuse("forbidden");
  if (call.orgId === null && role !== "operator") {
    return refuse("forbidden", {}, { message: "This operation requires an organization's key." });
  }
  return null;
}

export function checkScope(call: Call): Refusal | null {
  const scopes = call.caller?.scopes;
  if (scopes === null || scopes === undefined) return null;
  const needed = { scopes: scopesNeeded(call.op), orScope: call.op.orScope };
  const lacking = lackingScope(needed, (scope) => scopes.has(scope));
  return lacking === null ? null : refuse("missing_scope", { required: lacking });
}
