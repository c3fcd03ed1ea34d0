import { isRefusal, type Refusal, refuse } from "../../contract/refusal.ts";
import { bodyOf } from "../object/org-door.ts";
import { parseCidr } from "../../domain/network/address.ts";
import { tokenDigest } from "../../domain/key/org-token.ts";
import { presentDigest } from "../../domain/key/peppers.ts";
import { grantRefusal, supportRefusal } from "../../domain/people/support.ts";
import { logFailure } from "../../log.ts";
import type { Actor } from "../../org/kernel/door.ts";
import { SNAPSHOT } from "../../gate/snapshot/snapshot.ts";
import { peppersOf } from "../../settings.ts";
import type { Call } from "../request/call.ts";
import type { Result } from "../request/operation-types.ts";
import { doorOfToken } from "../identity/org-token-door.ts";
import { doorHome } from "../region/door-home.ts";

/** An operator under a support grant: identity, scope and audit. */

export function isSupportToken(bearer: string): boolean {
  return bearer.startsWith("svc_support_");
}

/** The part of a call that support access needs, on any route. */
export type SupportCall = Pick<
  Call,
  "env" | "settings" | "request" | "address" | "trace" | "caller" | "judgedAt"
> & {
  readonly op: { readonly path: string };
};

const identified = new WeakSet<Request>();

/** Returns whether this request's token was already identified. */
export function isIdentified(request: Request): boolean {
  return identified.has(request);
}

export async function identifySupport(call: SupportCall, bearer: string): Promise<Refusal | null> {
  identified.add(call.request);
  const asking: Actor = {
    kind: "support",
    id: "operator",
    role: "viewer",
    onBehalfOf: null,
    address: call.address,
  };
  const door = await doorOfToken(call, "support", bearer, asking);
  if (door === null) return refuse("unauthorized");
  const digest = presentDigest(peppersOf(call.settings), (pepper) => tokenDigest(pepper, bearer));
  const admitted = await door.command("admitSupport", { digest });
  if (isRefusal(admitted)) return admitted.code === "not_found" ? refuse("unauthorized") : admitted;
  const found = bodyOf(admitted);
  const { operator, grant_id: grantId, scope, org } = found;
  call.caller = {
    actor: { ...asking, id: operator, onBehalfOf: grantId },
    role: "viewer",
    scopes: null,
    org: { id: org.id, snapshot: org, allowList: org.ipAllowList.flatMap((text) => parseCidr(text) ?? []) },
    support: scope,
    goodUntil: call.judgedAt + SNAPSHOT.lifeMs,
  };
  return grantRefusal(found.grant_status);
}

export function checkSupport(call: Call): Refusal | null {
  const scope = call.caller?.support;
  if (scope === undefined) return null;
  const { method } = call.request;
  const reason = supportRefusal(scope, {
    method,
    scope: call.op.scope,
    role: call.op.role,
    reads: call.op.reads === true,
  });
  return reason === null ? null : refuse("support_scope_denied", { reason, scope, method });
}

/** A request under a grant that cannot be recorded is not answered. Failed requests are recorded too. */
export async function answerRecorded(call: Call, result: Result): Promise<Result> {
  if ("relayed" in result) return result;
  const { status } = result;
  return (await recordSupport(call, { status, code: isRefusal(result) ? result.code : null })) ?? result;
}

/** Null if it is recorded, or there is no grant. */
export async function recordSupport(
  { caller, env, settings, request, trace, op }: SupportCall,
  answered: { readonly status: number; readonly code: string | null },
): Promise<Refusal | null> {
  if (caller?.support === undefined || caller.org === null) return null;
  const envelope = { actor: caller.actor, trace, idempotency: null, ifMatch: null };
  try {
    const door = await doorHome(env, settings, caller.org.id, envelope);
    const { method } = request;
    const recorded = await door?.command("recordSupportRequest", { method, route: op.path, ...answered });
    if (recorded === undefined) return refuse("service_unavailable");
    return isRefusal(recorded) ? recorded : null;
  } catch (error) {
    logFailure(trace, error);
    return refuse("service_unavailable");
  }
}
