import { foreignText } from "./message.ts";

/** The `data` of an event. Its fields depend on its kind. */
export type EventData = Readonly<Record<string, unknown>>;

/** A field of text. Null if the event has none. */
export function textIn(data: EventData, field: string): string | null {
  const value = data[field];
  return typeof value === "string" && value !== "" ? value : null;
}

export function numberIn(data: EventData, field: string): number | null {
  const value = data[field];
  return typeof value === "number" ? value : null;
}

/** Dollars as people read them. Null if the event has none. */
export function dollarsIn(data: EventData, field: string): string | null {
  const value = textIn(data, field);
  return value === null ? null : `$${foreignText(value, 40)}`;
}

/** Returns which limit an event is about. Null if it is about none. */
export function limitIn(kind: string, data: EventData): string | null {
  const named = textIn(data, "budget_id") ?? textIn(data, "limit_id") ?? textIn(data, "credit_pack_id");
  if (named !== null) return named;
  if (kind.startsWith("spend_cap.")) return "spend_cap";
  if (kind.startsWith("quota.")) return "quota";
  return kind === "plan.limit_reached" ? `plan_${textIn(data, "limit_kind") ?? "runs"}` : null;
}
