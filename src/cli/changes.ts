import type { Sluice } from "../client/index.ts";
import { canonical, isAlike } from "./canonical.ts";
import { type Complaints, complain, type Declaration, type Section } from "./declarations.ts";
import type { SettingKind } from "./kind.ts";
import { changedSecrets, secretFields } from "./secrets.ts";
import { findAmbiguousKeys, type CurrentSetting, currentSettings } from "./current-settings.ts";
import { joinPath, type Value } from "./yaml-file.ts";

export interface FieldChange {
  readonly field: string;
  readonly before: Value | undefined;
  readonly after: Value | undefined;
}

/** One change that would make an org what a file says. */
export interface Change {
  readonly action: "create" | "change" | "delete";
  readonly kind: SettingKind;
  readonly label: string;
  /** Null for what is to be created. */
  readonly current: CurrentSetting | null;
  /** Null for what is to be deleted. */
  readonly declared: Declaration | null;
  readonly fields: readonly FieldChange[];
}

/** Returns what would have to change in a section. The complaints say why. */
export async function changesOf(
  { kind, declared }: Section,
  sluice: Sluice,
  complaints: Complaints,
): Promise<Change[]> {
  const settings = await currentSettings(kind, sluice);
  const pairs = paired(kind, declared, settings, complaints);
  const made = pairs.flatMap(({ one, current }) => changeOf(kind, one, current, complaints));
  const kept = new Set(pairs.map(({ current }) => current));
  const gone = settings.filter((current) => !kept.has(current));
  return [...made, ...gone.map((current) => deletion(kind, current))];
}

interface Pair {
  readonly one: Declaration;
  readonly current: CurrentSetting | null;
}

/** Each thing of the file, with the thing of the org that it is. */
function paired(
  kind: SettingKind,
  declared: readonly Declaration[],
  settings: readonly CurrentSetting[],
  complaints: Complaints,
): Pair[] {
  const byId = new Map(settings.map((current) => [current.at, current]));
  if (kind.form === "single") return declared.map((one) => ({ one, current: settings[0] ?? null }));
  if (kind.form === "named") return declared.map((one) => ({ one, current: byId.get(one.at ?? "") ?? null }));
  const ids = declared.flatMap(({ at }) => at ?? []);
  const rest = settings.filter(({ at }) => !ids.includes(at));
  const twice = findAmbiguousKeys(declared.filter(({ at }) => at === null));
  return declared.map((one) => {
    if (one.at !== null) {
      const current = byId.get(one.at) ?? null;
      if (current === null) complain(complaints, joinPath(one.path, "id"), "is not an id of this org");
      else if (ids.filter((id) => id === one.at).length > 1)
        complain(complaints, joinPath(one.path, "id"), "is there twice");
      return { one, current };
    }
    const found = rest.filter(({ key }) => key === one.key);
    const names = kind.key.join(" and ");
    if (twice.has(one.key)) complain(complaints, one.path, `another one has the same ${names}`);
    if (found.length > 1)
      complain(complaints, one.path, `the org has ${found.length} with this ${names}: say which by its id`);
    return { one, current: found[0] ?? null };
  });
}

function changeOf(
  kind: SettingKind,
  one: Declaration,
  current: CurrentSetting | null,
  complaints: Complaints,
): Change[] {
  const after = canonical(kind, one.fields);
  const before = current === null ? {} : canonical(kind, current.fields);
  const fields = Object.keys(after)
    .filter((name) => after[name] !== undefined && !isAlike(before[name], after[name]))
    .map((field) => ({ field, before: before[field], after: after[field] }));
  const secrets =
    current === null
      ? secretFields(kind).filter((name) => one.fields[name] !== undefined)
      : changedSecrets(kind, current.resource, one.secrets.values, one.fields);
  const all = [...fields, ...secrets.map((field) => ({ field, before: undefined, after: undefined }))];
  if (current !== null && all.length === 0) return [];
  for (const { field } of fields) {
    if (current !== null && kind.fields[field]?.isFixed === true)
      complain(
        complaints,
        joinPath(one.path, field),
        "cannot be changed: give it another name, and delete this one with --prune",
      );
  }
  for (const { path, variable } of one.secrets.unset)
    complain(
      complaints,
      path,
      `${variable} is not set: the service returns no secrets, so a change needs it`,
    );
  return [
    {
      action: current === null ? "create" : "change",
      kind,
      label: one.label,
      current,
      declared: one,
      fields: all,
    },
  ];
}

function deletion(kind: SettingKind, current: CurrentSetting): Change {
  return { action: "delete", kind, label: current.label, current, declared: null, fields: [] };
}
