import type { Call } from "../request/call.ts";
import { gates } from "./gates.ts";

/** On answers to an isolate in front of this one, which takes it off: the org in which the call left room. */
export const FREED_HEADER = "x-svc-freed";

/** The requests that left room, and the org in which they did. */
const leftRoom = new WeakMap<Request, string>();

/**
 * After a call that may have ended reservations or given something back, here or in another region, the caller's next
 * decision through this isolate must find the room that it left. Most runs end none, and leave refusals to the isolate.
 */
export function noteFreedCapacity(call: Pick<Call, "op" | "orgId" | "rawBody" | "request">): void {
  const { orgId, request } = call;
  if (orgId === null || !mayFree(call)) return;
  gates.freed(orgId, Date.now());
  leftRoom.set(request, orgId);
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
export function freedBy(request: Request): string | null {
  return leftRoom.get(request) ?? null;
}

/** What an isolate in front of another one was told. */
export function heedTold(orgId: string): void {
  gates.freed(orgId, Date.now());
}
