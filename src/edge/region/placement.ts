import type { OrgObject } from "../../org/object.ts";
import type { ObjectPlacement } from "../../settings.ts";

type Namespace = DurableObjectNamespace<OrgObject>;

/**
 * The region's objects where the platform shall keep them: the one place that knows how. Local workerd has no
 * jurisdictions (it throws) and ignores hints, so a local region asks for neither.
 */
export function placed(namespace: Namespace, placement: ObjectPlacement): Pick<Namespace, "getByName"> {
  if (placement.kind === "anywhere") return namespace;
  if (placement.kind === "jurisdiction") return namespace.jurisdiction(placement.jurisdiction);
  const options = { locationHint: placement.hint };
  return { getByName: (name) => namespace.getByName(name, options) };
}
