import { Refused, type Sluice } from "../client/index.ts";
import { canonical, fieldsOf } from "./canonical.ts";
import type { SettingKind, ListedKind, Resource } from "./kind.ts";
import type { Fields, Value } from "./yaml-file.ts";

/** One thing that an org has. */
export interface CurrentSetting {
  /** How a reader knows it. */
  readonly label: string;
  /** The name by which the API finds it: its id or its name. */
  readonly at: string;
  /** The name by which a file knows a listed thing. Null if it is known by its id only. */
  readonly key: string | null;
  readonly resource: Resource;
  readonly fields: Fields;
}

/** All that an org has of a kind. */
export async function currentSettings(kind: SettingKind, sluice: Sluice): Promise<CurrentSetting[]> {
  if (kind.form === "single") {
    const resource = await orNull(kind.read(sluice));
    if (resource === null) return [];
    const at = (await kind.place?.(sluice)) ?? "";
    return [{ label: "", at, key: null, resource, fields: fieldsOf(kind, resource) }];
  }
  const settings: CurrentSetting[] = [];
  for await (const one of kind.list(sluice)) {
    const resource = one as Resource;
    if (isInherited(resource) || kind.isDeclared?.(resource) === false) continue;
    settings.push(kind.form === "named" ? namedSetting(kind, resource) : listedSetting(kind, resource));
  }
  // Lists begin with what was made last. A file has things in the order in which they are made.
  return settings.toReversed();
}

/** A price that the platform set is none of the org's. */
export const isInherited = (resource: Resource): boolean => resource["source"] === "platform";

function namedSetting(kind: SettingKind & { nameField: string }, resource: Resource): CurrentSetting {
  const name = String(resource[kind.nameField]);
  return { label: name, at: name, key: null, resource, fields: fieldsOf(kind, resource) };
}

function listedSetting(kind: ListedKind, resource: Resource): CurrentSetting {
  const fields = fieldsOf(kind, resource);
  const key = keyOf(kind, fields);
  const at = String(resource["id"]);
  return { label: key === null ? at : labelOf(kind, fields), at, key, resource, fields };
}

/** Null if a part of it is missing. */
export function keyOf(kind: ListedKind, fields: Fields): string | null {
  const parts = kind.key.map((name) => canonical(kind, fields)[name]);
  return parts.every((part) => part !== undefined && part !== null) ? JSON.stringify(parts) : null;
}

function shortText(value: Value | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

export function labelOf({ key }: ListedKind, fields: Fields): string {
  return key.map((name) => shortText(fields[name])).join(", ");
}

async function orNull(answer: Promise<unknown>): Promise<Resource | null> {
  try {
    return (await answer) as Resource;
  } catch (error) {
    if (error instanceof Refused && error.code === "not_found") return null;
    throw error;
  }
}

/** The keys that name more than one. */
export function findAmbiguousKeys(
  settings: readonly { readonly key: string | null }[],
): ReadonlySet<string | null> {
  const seen = new Set<string | null>();
  const twice = new Set<string | null>([null]);
  for (const { key } of settings) (seen.has(key) ? twice : seen).add(key);
  return twice;
}
