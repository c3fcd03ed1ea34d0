import type { Commands, OrgDoor } from "../object/org-door.ts";
import type { Call } from "./call.ts";

/**
 * Takes the call's idempotency key before work that spans more than one object, for the command that records it. If there is an
 * outcome, the work was done before.
 */
export async function claimKey<N extends keyof Commands>(
  call: Pick<Call, "idempotencyKey" | "idempotency" | "envelope">,
  recorder: OrgDoor,
) {
  const reserved = call.idempotencyKey === null ? null : await recorder.reserve<N>();
  if (reserved !== null && "outcome" in reserved) return reserved;
  const idempotency = call.idempotency(reserved?.fence ?? null);
  return { seed: reserved?.seed ?? null, envelope: { ...call.envelope(), idempotency, ifMatch: null } };
}
