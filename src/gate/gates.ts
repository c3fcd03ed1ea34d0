import { OrgGate } from "./org-gate.ts";

/** An org with five limits in traffic takes some 10 kB, and an isolate has 128 MB for everything. */
export const MOST_ORGS = 5000;

/** The orgs that this isolate decides for. One with nothing outstanding may be forgotten, and loses nothing by it. */
const gates = new Map<string, OrgGate>();

/** Null when the isolate has its hands full: the org is then decided by its object, call by call. */
export function gateOf(orgId: string): OrgGate | null {
  const known = gates.get(orgId);
  if (known !== undefined) return known;
  if (gates.size >= MOST_ORGS && !forgetIdle()) return null;
  const gate = new OrgGate();
  gates.set(orgId, gate);
  return gate;
}

/** Looks at the oldest only: idle ones gather there, and a full scan would cost every new org the same again. */
function forgetIdle(): boolean {
  let looked = 0;
  for (const [orgId, gate] of gates) {
    if (gate.purse.idle) {
      gates.delete(orgId);
      return true;
    }
    gates.delete(orgId);
    gates.set(orgId, gate);
    looked += 1;
    if (looked >= 16) return false;
  }
  return false;
}
