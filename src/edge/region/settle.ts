import { type Refusal, refuse } from "../../contract/refusal.ts";
import { type Placement, placementOf, type Residency } from "../../domain/residency.ts";
import type { Call } from "../call.ts";
import { vouchedCaller } from "../vouched.ts";
import { askHome } from "./home.ts";
import { PLATFORM_ORG_ID } from "../../contract/ids.ts";
import { knownEpoch } from "./epochs.ts";
import { EPOCH_HEADER, PASS_HEADER, peersOf, sendToRegion, UNTAKEN_HEADER } from "./peer.ts";
import { remoteOrg } from "./remote-org.ts";

/** An answer of another region's, to be given on as it is. */
export interface Relayed {
  readonly relayed: Response;
}

/**
 * Where a call is served: here, at the org's home, or nowhere. It stands before the body is read, so that a call that
 * goes home goes whole.
 */
export function settleRegion(call: Call): Refusal | null | Promise<Refusal | Relayed | null> {
  if (call.orgId === null || call.caller === null) return null;
  const own = call.caller.org?.snapshot;
  return own === undefined ? settleForOperator(call, call.orgId) : settle(call, own);
}

/** An operator is of no org, so no snapshot says where this one lives. */
async function settleForOperator(call: Call, orgId: string): Promise<Refusal | Relayed | null> {
  const { env, settings } = call;
  if (peersOf(settings).length === 0 && call.op.path.startsWith("/v1/admin/")) return null;
  const residency = await askHome(env, settings, orgId, async (object) => await object.whereabouts());
  return residency === null ? null : settle(call, residency);
}

function settle(call: Call, residency: Residency): Refusal | null | Promise<Refusal | Relayed> {
  call.home = residency.homeRegion;
  const placement = placementFor(call, residency);
  if (placement === "serve") return null;
  return placement === "refuse" ? refuse("residency_violation") : relay(call, residency.homeRegion);
}

function placementFor({ op, request, settings }: Call, residency: Residency): Placement {
  return placementOf(residency, {
    region: settings.SVC_REGION,
    // What this Worker asks of itself carries no key that another region could check: its object is asked there instead.
    writes: vouchedCaller(request) === null && goesHome(op),
    exempt: op.path.startsWith("/v1/admin/") || op.path === "/v1/orgs/{id}/residency",
  });
}

/** For a call that was to be served here: whether the org's rule has come to refuse it. An org's home never changes. */
export function checkResidency(call: Call): Refusal | null {
  const own = call.caller?.org?.snapshot;
  const refused = own !== undefined && placementFor(call, own) === "refuse";
  return refused ? refuse("residency_violation") : null;
}

function goesHome(op: Call["op"]): boolean {
  return op.servedAtHome === true || (op.method !== "GET" && op.servedAnywhere !== true);
}

/**
 * Hands the request to another region, with key, idempotency key and body as they came, and who called in a pass. What
 * came with a pass, be it good or not, is never sent on: regions that have each other's names wrong would play ball.
 */
export async function relay(
  call: Pick<Call, "env" | "settings" | "request" | "pass" | "orgId" | "trace" | "address">,
  to: string,
  body?: string,
): Promise<Refusal<"service_unavailable"> | Relayed> {
  const { env, settings, request } = call;
  if (request.headers.has(PASS_HEADER)) return refuse("service_unavailable");
  const { pathname, search } = new URL(request.url);
  const { method, headers } = request;
  const sent = { method, target: pathname + search, headers, body: body ?? request.body };
  const keeper = call.orgId ?? PLATFORM_ORG_ID;
  // A body that is streamed on is sent once, so the keeper's life is asked for before.
  if (sent.body instanceof ReadableStream && knownEpoch(to, keeper) === undefined) {
    await remoteOrg(env, settings, to, keeper).whereabouts();
  }
  const { trace, address } = call;
  const answer = await sendToRegion(env, settings, to, sent, { keeper, trace, address });
  const relayed = new Response(answer.body, answer);
  for (const name of [EPOCH_HEADER, UNTAKEN_HEADER]) relayed.headers.delete(name);
  return { relayed };
}
