import type { SettingKind } from "./kind.ts";
import { keyOf, labelOf } from "./current-settings.ts";
import { type Env, secretsOf, type Secrets } from "./secrets.ts";
import { type Fields, isFields, joinPath, type SettingsFile, type Value } from "./yaml-file.ts";

/** One thing that a file declares. */
export interface Declaration {
  readonly path: string;
  readonly label: string;
  /** Its id, where the file says it, or its name. */
  readonly at: string | null;
  readonly key: string | null;
  readonly fields: Fields;
  readonly secrets: Secrets;
}

/** Collects what is wrong with a file, each with its line. */
export interface Complaints {
  readonly file: SettingsFile;
  readonly env: Env;
  readonly lines: string[];
}

export function complain({ file, lines }: Complaints, path: string, why: string): void {
  lines.push(file.mistake(path, why));
}

/** A section of a file, and all that it declares. */
export interface Section {
  readonly kind: SettingKind;
  readonly declared: readonly Declaration[];
}

/** The sections that a file has. Of a kind that has none, nothing is looked at. */
export function sectionsOf(kinds: readonly SettingKind[], complaints: Complaints): Section[] {
  const known = kinds.map(({ section }) => section);
  for (const name of Object.keys(complaints.file.value)) {
    if (!known.includes(name)) complain(complaints, name, `is not a section: there are ${known.join(", ")}`);
  }
  return kinds.flatMap((kind) => {
    const said = complaints.file.value[kind.section];
    return said === undefined ? [] : [{ kind, declared: declarationsOf(kind, said, complaints) }];
  });
}

function declarationsOf(kind: SettingKind, said: Value, complaints: Complaints): Declaration[] {
  const { section } = kind;
  if (kind.form === "single") {
    if (said === null && kind.remove !== undefined) return [];
    return one(kind, said, { path: section, at: "" }, complaints);
  }
  if (said === null) return [];
  if (kind.form === "named") {
    if (isFields(said))
      return Object.entries(said).flatMap(([name, fields]) =>
        one(kind, fields, { path: joinPath(section, name), at: name }, complaints),
      );
    complain(complaints, section, "must be a map from names to settings");
    return [];
  }
  if (Array.isArray(said))
    return (said as readonly Value[]).flatMap((fields, index) =>
      one(kind, fields, { path: `${section}[${index}]`, at: null }, complaints),
    );
  complain(complaints, section, "must be a list");
  return [];
}

function one(
  kind: SettingKind,
  said: Value,
  { path, at }: { readonly path: string; readonly at: string | null },
  complaints: Complaints,
): Declaration[] {
  if (!isFields(said)) {
    complain(complaints, path, "must be a map from fields to values");
    return [];
  }
  const { id, ...fields } = said;
  const known = new Set(Object.entries(kind.fields).flatMap(([name, { alias = name }]) => [name, alias]));
  for (const name of Object.keys(kind.form === "listed" ? fields : said)) {
    if (!known.has(name)) complain(complaints, joinPath(path, name), `is not a field of ${kind.section}`);
  }
  const secrets = secretsOf(kind, fields, { path, env: complaints.env });
  for (const mistake of secrets.mistakes) complain(complaints, mistake.path, mistake.why);
  if (kind.form !== "listed") return [{ path, label: at ?? "", at, key: null, fields, secrets }];
  const key = keyOf(kind, fields);
  if (id === undefined && key === null) {
    complain(complaints, path, `must have ${kind.key.join(" and ")}, or an id`);
    return [];
  }
  if (id !== undefined && typeof id !== "string")
    complain(complaints, joinPath(path, "id"), "must be a text");
  const ownId = typeof id === "string" ? id : null;
  const label = key === null ? (ownId ?? "") : labelOf(kind, fields);
  return [{ path, label, at: ownId, key, fields, secrets }];
}
