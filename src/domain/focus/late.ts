import { NAMED_FIELDS, type ScopeField } from "../../contract/scopes.ts";
import type { RunNames } from "../run/segment/run-names.ts";
import type { LateCharge } from "./charge.ts";

interface Late extends Pick<LateCharge, "atMs" | "nanos" | "isCorrection"> {
  readonly names: RunNames;
}

/** A charge that comes after its run. */
export function lateChargeOf({ names, ...late }: Late): LateCharge {
  const scopes = NAMED_FIELDS.map(([kind, field]) => [field, names[`${kind}Id`] ?? null]);
  return {
    ...late,
    model: names.model ?? null,
    provider: names.provider ?? null,
    scopes: Object.fromEntries(scopes) as Record<ScopeField, string | null>,
    tags: names.tags ?? null,
  };
}
