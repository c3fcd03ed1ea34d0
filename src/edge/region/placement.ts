import type { OrgObject } from "../../org/object.ts";
import type { ObjectPlacement, Settings } from "../../settings.ts";
import type { Env } from "../env.ts";

type Namespace = DurableObjectNamespace<OrgObject>;

/**
 * The region's objects, placed as configured. Only this file knows how. Local workerd has no jurisdictions (it throws)
 * and ignores hints, so a local region asks for neither.
 */
function placed(namespace: Namespace, placement: ObjectPlacement): Pick<Namespace, "getByName"> {
  if (placement.kind === "anywhere") return namespace;
  if (placement.kind === "jurisdiction") return namespace.jurisdiction(placement.jurisdiction);
  const options = { locationHint: placement.hint };
  return { getByName: (name) => namespace.getByName(name, options) };
}

/** The object of an org in this region, whether or not this is the org's home. */
export function objectHere(env: Env, settings: Settings, orgId: string): DurableObjectStub<OrgObject> {
  return placed(env.ORG, settings.SVC_OBJECT_PLACEMENT).getByName(orgId);
}
