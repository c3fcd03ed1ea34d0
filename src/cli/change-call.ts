import type { Answer, CallOptions, Sluice } from "../client/index.ts";
import { canonical, isAlike } from "./canonical.ts";
import type { Change } from "./changes.ts";
import type { Fields, Value } from "./yaml-file.ts";

/**
 * Returns what is sent for a change, without what is the default. Of a thing that is listed, a change has only the
 * fields that differ.
 */
function bodyOf({ kind, declared, action, fields }: Change): Fields {
  if (declared === null) return {};
  const { values: secrets } = declared.secrets;
  const all = canonical(kind, declared.fields);
  if (kind.form === "listed" && action === "change") {
    const changed = fields.map(({ field }) => [field, secrets[field] ?? all[field] ?? null]);
    return Object.fromEntries(changed) as Fields;
  }
  const said = Object.entries(all).filter(
    ([name, value]) =>
      value !== null &&
      value !== undefined &&
      !isAlike(value, kind.fields[name]?.default) &&
      !(kind.form === "listed" && kind.fields[name]?.isSetLater === true),
  );
  const body = { ...(Object.fromEntries(said) as Fields), ...secrets };
  return kind.toBody?.(body) ?? body;
}

/** Returns what a new thing is set to after it was made. Null if that is nothing. */
export function setLater({ kind, declared, action }: Change): Fields | null {
  if (kind.form !== "listed" || action !== "create" || declared === null) return null;
  const all = canonical(kind, declared.fields);
  const later = Object.entries(kind.fields).filter(
    ([name, { isSetLater, default: usual }]) => isSetLater === true && all[name] !== usual,
  );
  const set = later.map(([name]): [string, Value] => [name, all[name] ?? null]);
  return set.length === 0 ? null : Object.fromEntries(set);
}

/** Sends a change, or asks what would become of it: `options` say which. */
export function sendChange(change: Change, sluice: Sluice, options: CallOptions): Answer<unknown> {
  const { kind, action, current, declared } = change;
  const at = current?.at ?? declared?.at ?? "";
  if (action === "delete") {
    if (kind.remove === undefined) throw new Error(`${kind.section} cannot be deleted`);
    return kind.remove(sluice, at, options);
  }
  const body = bodyOf(change) as never;
  if (kind.form !== "listed") return kind.set(sluice, at, body, options);
  return current === null ? kind.create(sluice, body, options) : kind.change(sluice, at, body, options);
}
