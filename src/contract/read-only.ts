import type * as z from "zod";
import type { FieldError } from "./error-details.ts";
import { parseTimestamp } from "./shapes.ts";

/** A field that the service sets. It may be sent as it was read, so that a resource can be sent back whole. */
export function readOnly<T extends z.ZodType>(shape: T) {
  return shape.optional().meta({ description: "Read-only. If sent: as it was read." });
}

/** The read-only fields that were sent and are not as they are read now. */
export function readOnlyErrors<Name extends string>(
  names: readonly Name[],
  sent: { readonly [Field in Name]?: unknown },
  current: { readonly [Field in Name]?: unknown },
): FieldError[] {
  return names
    .filter((name) => sent[name] !== undefined && !isSame(sent[name], current[name]))
    .map((field) => ({ field, code: "invalid_value", message: messageOf(current[field]) }));
}

function messageOf(value: unknown): string {
  const now = value === undefined ? "has no value yet" : `is ${JSON.stringify(value)}`;
  return `cannot be set, and ${now}. Leave it out`;
}

/** Clients write the same moment in several ways. */
function isSame(sent: unknown, current: unknown): boolean {
  if (sent === current) return true;
  if (typeof sent !== "string" || typeof current !== "string") return false;
  const moment = parseTimestamp(sent);
  return moment !== null && moment === parseTimestamp(current);
}
