import type { Envelope } from "../../org/kernel/door.ts";
import type { Settings } from "../../settings.ts";
import type { Env } from "../env.ts";
import { OrgDoor } from "../object/org-door.ts";
import { askHome, orgObject } from "./home.ts";
import { peersOf } from "./peer.ts";

/** The door to an org's object for work outside an API call, in its home region. Null if there is no such org. */
export async function doorHome(
  env: Env,
  settings: Settings,
  orgId: string,
  envelope: Envelope,
): Promise<OrgDoor | null> {
  if (peersOf(settings).length === 0) {
    return new OrgDoor(orgObject(env, settings, orgId, settings.SVC_REGION), envelope);
  }
  return askHome(env, settings, orgId, async (object) =>
    (await object.whereabouts()) === null ? null : new OrgDoor(object, envelope),
  );
}
