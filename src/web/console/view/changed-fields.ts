import { count, formatMoment, toWords, usd } from "./format.ts";

/** A field of what somebody sent, as people read it. */
export interface ChangedField {
  readonly title: string;
  readonly value: string;
}

const UNIT = /_(usd|percent|id)$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT/;

/** The fields of the detail of an audit entry. */
export function changedFields(detail: Readonly<Record<string, unknown>>): ChangedField[] {
  return Object.entries(detail).map(([name, value]) => ({
    title: toWords(name.replace(UNIT, "")),
    value: toText(value, UNIT.exec(name)?.[1]),
  }));
}

const asText = (fields: readonly ChangedField[]): string =>
  fields.map(({ title, value }) => `${title} ${value}`).join(", ");

function toText(value: unknown, unit: string | undefined): string {
  if (value === null) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return unit === "percent" ? `${value} %` : count(value);
  if (typeof value === "string") {
    if (unit === "usd") return usd(value);
    return TIMESTAMP.test(value) ? formatMoment(value) : value;
  }
  if (Array.isArray(value))
    return value.length === 0 ? "none" : value.map((one) => toText(one, unit)).join(", ");
  return asText(changedFields({ ...(value as object) }));
}
