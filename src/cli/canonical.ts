import type { Field, SettingKind, Resource } from "./kind.ts";
import { type Fields, isFields, joinPath, type Value } from "./yaml-file.ts";

const DECIMAL = /^\d+(\.\d+)?$/;
const AMOUNT =
  /(_usd|_usd_per_mtok|(^|\.)limit)$|(^|\.)(units|variants)\.[^.]+$|(^|\.)alert_thresholds\[\d+\]$/;

/** A value so that equal ones are alike: amounts without needless zeros, names in order, and nothing that is null. */
function normal(value: Value, path: string): Value {
  if (Array.isArray(value)) {
    return (value as readonly Value[]).map((one, index) => normal(one, `${path}[${index}]`));
  }
  if (isFields(value)) {
    const named = Object.entries(value).filter(([, one]) => one !== null && one !== undefined);
    return Object.fromEntries(
      named
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, one]) => [name, normal(one, joinPath(path, name))]),
    );
  }
  if (typeof value !== "string" || !AMOUNT.test(path) || !DECIMAL.test(value)) return value;
  const [whole = "", fraction = ""] = value.split(".");
  const digits = fraction.replace(/0+$/, "");
  return whole.replace(/^0+(?=\d)/, "") + (digits === "" ? "" : `.${digits}`);
}

/** Returns what a field is, whether it was said or not. Undefined if nobody said it, and there is no default. */
function saidOrDefault(fields: Fields, name: string, field: Field): Value | undefined {
  const said = fields[name];
  return said === undefined || (said === null && field.default !== undefined) ? field.default : said;
}

/** The fields of a kind, complete and comparable. Secrets are not among them. */
export function canonical(kind: SettingKind, given: Fields): Readonly<Record<string, Value | undefined>> {
  const fields = kind.complete?.(given) ?? given;
  return Object.fromEntries(
    Object.entries(kind.fields)
      .filter(([, { shownAs }]) => shownAs === undefined)
      .map(([name, field]) => {
        const value = saidOrDefault(fields, name, field);
        return [name, value === undefined ? undefined : normal(value, name)];
      }),
  );
}

/** Returns what a resource has in the fields of its kind. */
export function fieldsOf(kind: SettingKind, resource: Resource): Fields {
  const shown = kind.toFields?.(resource) ?? resource;
  const names = Object.keys(kind.fields).filter((name) => kind.fields[name]?.shownAs === undefined);
  return Object.fromEntries(
    names.flatMap((name): [string, Value][] => {
      const value = shown[name] as Value | undefined;
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

export const isAlike = (a: Value | undefined, b: Value | undefined): boolean =>
  JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
