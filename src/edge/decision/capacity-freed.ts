import type { Call } from "../request/call.ts";
import { gates } from "./gates.ts";

/** On answers to an isolate in front of this one, which takes it off: the org in which the call left room. */
export const FREED_HEADER = "x-svc-freed";

/** By request, the org in which it freed capacity. */
const freedOrgs = new WeakMap<Request, string>();

/**
 * After a call that may have ended reservations or given something back, here or in another region, the caller's next
 * decision through this isolate must find the room that it left. Most runs end none, and leave refusals to the isolate.
 */
export function noteFreedCapacity(call: Pick<Call, "op" | "orgId" | "rawBody" | "request">): void {
  const { orgId, request } = call;
  if (orgId === null || !mayFree(call)) return;
  gates.freed(orgId, Date.now());
  freedOrgs.set(request, orgId);
}

function mayFree({ op, rawBody }: Pick<Call, "op" | "rawBody">): boolean {
  if (op.givesBack === true) return true;
  if (op.endsReservations !== true) return false;
  const wasRead = op.body !== undefined && rawBody !== "";
  return !wasRead || namesReservation(rawBody);
}

/** A field name may be written with escapes. The part is found several times faster, because few texts have its first letter. */
function namesReservation(body: string): boolean {
  return body.includes("\\u") || (body.includes("vation_id") && body.includes("reservation_id"));
}

/** The org in which a request left room, for an isolate that decides in front of this one. */
export function readFreedOrg(request: Request): string | null {
  return freedOrgs.get(request) ?? null;
}

/** An isolate behind this one has freed capacity of the org. */
export function noteFreedOrg(orgId: string): void {
  gates.freed(orgId, Date.now());
}
