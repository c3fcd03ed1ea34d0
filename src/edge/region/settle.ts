import { isRefusal, type Refusal, refuse } from "../../contract/refusal.ts";
import { type Placement, placementOf, type Residency } from "../../domain/region/residency.ts";
import { readBytes } from "../request/body.ts";
import type { Call } from "../request/call.ts";
import { internalCaller } from "../identity/internal-caller.ts";
import { askHome } from "./home.ts";
import { PLATFORM_ORG_ID } from "../../contract/platform-org.ts";
import { EPOCH_HEADER, PASS_HEADER, peersOf, sendToRegion, UNTAKEN_HEADER } from "./peer.ts";

/** A response of another region, passed on unchanged. */
export interface RelayedReply {
  readonly relayed: Response;
}

/**
 * Decides where a call is served: here, in the org's home region, or nowhere.
 */
export function settleRegion(call: Call): Refusal | null | Promise<Refusal | RelayedReply | null> {
  if (call.orgId === null || call.caller === null) return null;
  const own = call.caller.org?.snapshot;
  return own === undefined ? settleForOperator(call, call.orgId) : settle(call, own);
}

/** An operator belongs to no org, so no snapshot tells the org's home. */
async function settleForOperator(call: Call, orgId: string): Promise<Refusal | RelayedReply | null> {
  const { env, settings } = call;
  if (peersOf(settings).length === 0 && call.op.path.startsWith("/v1/admin/")) return null;
  const residency = await askHome(env, settings, orgId, async (object) => await object.whereabouts());
  return residency === null ? null : settle(call, residency);
}

function settle(call: Call, residency: Residency): Refusal | null | Promise<Refusal | RelayedReply> {
  call.home = residency.homeRegion;
  const placement = placementFor(call, residency);
  if (placement === "serve") return null;
  return placement === "refuse" ? refuse("residency_violation") : forward(call, residency.homeRegion);
}

/**
 * The body is read completely before it is forwarded. As a stream, a body that its client breaks off would look
 * complete to the other region, or like a failure of that region to this one, and a slow one would not arrive before
 * the other region's timeout.
 */
async function forward(call: Call, to: string): Promise<Refusal | RelayedReply> {
  const body = call.request.body === null ? null : await readBytes(call);
  return isRefusal(body) ? body : relay(call, to, body);
}

function placementFor({ op, request, settings }: Call, residency: Residency): Placement {
  return placementOf(residency, {
    region: settings.SVC_REGION,
    // Calls that this Worker makes to itself carry no key that another region could check, so they call the object there instead.
    writes: internalCaller(request) === null && goesHome(op),
    exempt: op.path.startsWith("/v1/admin/") || op.path === "/v1/orgs/{id}/residency",
  });
}

/** For a call that is served here: whether the org's current rule refuses it. Where its home is was settled before. */
export function checkResidency(call: Call): Refusal | null {
  const own = call.caller?.org?.snapshot;
  const refused = own !== undefined && placementFor(call, own) === "refuse";
  return refused ? refuse("residency_violation") : null;
}

function goesHome(op: Call["op"]): boolean {
  return op.servedAtHome === true || (op.method !== "GET" && op.servedAnywhere !== true);
}

/**
 * Forwards the request to another region, with key, idempotency key and body unchanged, and the caller in a pass. A
 * request that came with a pass, valid or not, is never forwarded, because misconfigured regions could loop.
 */
export async function relay(
  call: Pick<Call, "env" | "settings" | "request" | "pass" | "orgId" | "trace" | "address">,
  to: string,
  body: string | Uint8Array<ArrayBuffer> | null,
): Promise<Refusal<"service_unavailable"> | RelayedReply> {
  const { env, settings, request } = call;
  if (request.headers.has(PASS_HEADER)) return refuse("service_unavailable");
  const { pathname, search } = new URL(request.url);
  const { method } = request;
  const headers = new Headers(request.headers);
  for (const framing of ["content-length", "transfer-encoding"]) headers.delete(framing);
  const sent = { method, target: pathname + search, headers, body };
  const keeper = call.orgId ?? PLATFORM_ORG_ID;
  const { trace, address } = call;
  const answer = await sendToRegion(env, settings, { to, request: sent, caller: { keeper, trace, address } });
  const relayed = new Response(answer.body, answer);
  for (const name of [EPOCH_HEADER, UNTAKEN_HEADER]) relayed.headers.delete(name);
  return { relayed };
}
