import { type OrgTokenKind, orgOfToken } from "../../domain/key/org-token.ts";
import { firstUnder } from "../../domain/key/peppers.ts";
import type { Actor } from "../../org/kernel/door.ts";
import { peppersOf } from "../../settings.ts";
import type { Call } from "../request/call.ts";
import type { OrgDoor } from "../object/org-door.ts";
import { doorHome } from "../region/door-home.ts";

/** The door to the object that knows who stands behind a token. Null if the token is forged, or its org is not there. */
export async function doorOfToken(
  call: Pick<Call, "env" | "settings" | "trace">,
  kind: OrgTokenKind,
  bearer: string,
  asking: Actor,
): Promise<OrgDoor | null> {
  const orgId = firstUnder(peppersOf(call.settings), (pepper) => orgOfToken(pepper, kind, bearer));
  if (orgId === null) return null;
  const envelope = { actor: asking, trace: call.trace, idempotency: null, ifMatch: null };
  return doorHome(call.env, call.settings, orgId, envelope);
}
