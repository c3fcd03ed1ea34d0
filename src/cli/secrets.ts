import type { SettingKind, Resource } from "./kind.ts";
import { type Fields, isFields, joinPath, type Value } from "./yaml-file.ts";

const REFERENCE = /^\$\{(\w+)\}$/;
/** Of the environment, a file can name only what is meant for it, and not the key that applies it. */
const ALLOWED = /^SLUICE_(?!KEY$|URL$)[A-Z0-9_]+$/;
const LAST = 4;

export type Env = Readonly<Record<string, string | undefined>>;

export interface Secrets {
  /** The fields that are set, by name. */
  readonly values: Fields;
  /** References to variables that are not set, each with the path of its field. */
  readonly unset: readonly { readonly path: string; readonly variable: string }[];
  readonly mistakes: readonly { readonly path: string; readonly why: string }[];
}

/** Takes the secrets of an entry from the environment. A file has only the names of variables. */
export function secretsOf(
  kind: SettingKind,
  fields: Fields,
  at: { readonly path: string; readonly env: Env },
): Secrets {
  const found = { values: {} as Record<string, Value>, unset: [], mistakes: [] } as ResolvedSecrets;
  for (const name of secretFields(kind)) {
    const said = fields[name];
    if (said === undefined || said === null) continue;
    const path = joinPath(at.path, name);
    const value = isFields(said)
      ? Object.fromEntries(
          Object.entries(said).map(([part, text]) => [
            part,
            resolved(text, joinPath(path, part), at.env, found),
          ]),
        )
      : resolved(said, path, at.env, found);
    found.values[name] = value;
  }
  return found;
}

interface ResolvedSecrets {
  readonly values: Record<string, Value>;
  readonly unset: { path: string; variable: string }[];
  readonly mistakes: { path: string; why: string }[];
}

function resolved(said: Value, path: string, env: Env, found: ResolvedSecrets): Value {
  const variable = typeof said === "string" ? REFERENCE.exec(said)?.[1] : undefined;
  if (variable === undefined) {
    found.mistakes.push({
      path,
      why: "is a secret: name an environment variable that has it, as ${SLUICE_…}",
    });
    return null;
  }
  if (!ALLOWED.test(variable)) {
    found.mistakes.push({
      path,
      why: `cannot name ${variable}: only variables that begin with SLUICE_, and not SLUICE_KEY`,
    });
    return null;
  }
  const value = env[variable];
  if (value === undefined || value === "") {
    found.unset.push({ path, variable });
    return null;
  }
  return value;
}

export function secretFields(kind: SettingKind): string[] {
  return Object.keys(kind.fields).filter((name) => kind.fields[name]?.shownAs !== undefined);
}

/** Returns which secrets of an entry are others than those that the org has, as far as it shows. */
export function changedSecrets(
  kind: SettingKind,
  resource: Resource,
  secrets: Fields,
  given: Fields,
): string[] {
  return secretFields(kind).filter((name) => {
    const shown = resource[kind.fields[name]?.shownAs ?? ""];
    const value = secrets[name];
    if (Array.isArray(shown)) return !sameNames(shown, given[name]);
    if (typeof value !== "string" || typeof shown !== "string" || shown.includes("*")) return false;
    return value.slice(-LAST) !== shown;
  });
}

function sameNames(shown: readonly unknown[], said: Value | undefined): boolean {
  const names = isFields(said) ? Object.keys(said) : [];
  return JSON.stringify(names.toSorted()) === JSON.stringify(shown.map(String).toSorted());
}

function variableFor(...parts: readonly string[]): string {
  return `\${SLUICE_${parts
    .join("_")
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, "_")}}`;
}

/** Returns what stands in an exported file in place of secrets: the names of variables to set. */
export function references(kind: SettingKind, label: string, resource: Resource): Fields {
  return Object.fromEntries(
    secretFields(kind).flatMap((name): [string, Value][] => {
      const shown = resource[kind.fields[name]?.shownAs ?? ""];
      if (!Array.isArray(shown)) return [[name, variableFor(kind.section, label, name)]];
      if (shown.length === 0) return [];
      const parts = shown.map((part) => [String(part), variableFor(kind.section, label, String(part))]);
      return [[name, Object.fromEntries(parts) as Fields]];
    }),
  );
}
