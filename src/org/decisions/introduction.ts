import { DECISION } from "../../contract/decision.ts";
import type { Introduction } from "../../gate/snapshot/introduction.ts";
import type { Snapshot } from "../../gate/snapshot/snapshot.ts";
import type { Envelope } from "../kernel/door.ts";

/** The envelope of a decision that comes with its key, as the isolate would make it. */
export function envelopeOf(
  { key }: Snapshot,
  digest: string,
  { address, trace, parent }: Introduction,
): Envelope {
  return {
    actor: { kind: "key", id: key.id, role: key.role, onBehalfOf: null, address },
    credential: { digest, role: DECISION.role, scopes: [DECISION.scope] },
    trace,
    parent,
    idempotency: null,
    ifMatch: null,
  };
}

/** Calls that may have to be served elsewhere are left to the isolate, which knows the regions. */
export function isServedWhereItArrived({ org }: Snapshot, { region }: Introduction): boolean {
  return org.homeRegion === region && org.regions === null;
}
