import type { CallFields } from "../adapters/governed-call.ts";
import type { WireRefusal } from "../providers/wire-refusal.ts";
import { type CallerHeaders, refuseField } from "./call-fields.ts";
import type { KeyGate } from "./key-gate.ts";
import { type ProxyOptions, SET_BY_ANYONE } from "./options.ts";

/**
 * Returns the names that a call is charged under: those of its key, else those of its caller, if it may set them.
 * Unless the operator lists what callers may set, they may say what a call is for as long as no limit of their
 * organization counts by it: they could choose another's limit.
 */
export async function fieldsOf(
  { fields, names }: CallerHeaders,
  gate: Pick<KeyGate, "keyId" | "countedBy">,
  { callerSets, keyFields = {} }: ProxyOptions,
): Promise<CallFields | WireRefusal> {
  const allowed = callerSets ?? SET_BY_ANYONE;
  const denied = names.find((name) => !allowed.includes(name));
  if (denied !== undefined) return refuseField(denied, false);
  if (callerSets === undefined && names.length > 0) {
    const countedBy = await gate.countedBy();
    const counted = names.find((name) => countedBy.has(name));
    if (counted !== undefined) return refuseField(counted, true);
  }
  const own = Object.hasOwn(keyFields, gate.keyId) ? keyFields[gate.keyId] : {};
  return { ...fields, ...own };
}
