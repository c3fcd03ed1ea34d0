import { stringify } from "yaml";
import { Refused, type Sluice } from "../client/index.ts";
import { canonical, isAlike } from "./canonical.ts";
import { type Command, UsageError } from "./command.ts";
import { clientFor, ORG_OPTION } from "./connection.ts";
import type { SettingKind } from "./kind.ts";
import { KINDS } from "./kinds.ts";
import { references, secretFields } from "./secrets.ts";
import { findAmbiguousKeys, type CurrentSetting, currentSettings } from "./current-settings.ts";
import type { Fields, Value } from "./yaml-file.ts";

const HEAD = `# What this org is set to. sluice plan -f shows what a change to this file would do, sluice apply -f does it.
# A section that is not here is left alone; of one that is, apply --prune deletes what is not in it.
# Secrets are not here: each is named by an environment variable, which a change needs.
`;

export const exportSettings: Command = {
  usage: "[options]",
  summary: "All limits, policies, prices and webhooks of an org as a file: sluice export > sluice.yaml",
  options: ORG_OPTION,
  async run(given, terminal) {
    if (given.arguments.length > 0) throw new UsageError("export takes options only");
    const sluice = clientFor(given, terminal);
    const sections: [string, Value][] = [];
    for (const kind of KINDS) {
      const value = await readable(kind, sluice);
      if (value === CLOSED) terminal.error(`sluice: this key may not read ${kind.section}: it is left out\n`);
      else if (value !== undefined) sections.push([kind.section, value]);
    }
    terminal.out(HEAD + sections.map(([name, value]) => `\n${textOf({ [name]: value })}`).join(""));
  },
};

const CLOSED = Symbol("closed");

async function readable(kind: SettingKind, sluice: Sluice): Promise<Value | undefined | typeof CLOSED> {
  try {
    return valueOf(kind, await currentSettings(kind, sluice));
  } catch (error) {
    const isClosed = error instanceof Refused && /^(forbidden|missing_scope)$/.test(error.code);
    if (isClosed) return CLOSED;
    throw error;
  }
}

/** Undefined where there is none, and a file could not say so. */
function valueOf(kind: SettingKind, settings: readonly CurrentSetting[]): Value | undefined {
  if (kind.form === "single") {
    const [setting] = settings;
    if (setting !== undefined) return withoutDefaults(kind, setting);
    return kind.remove === undefined ? undefined : null;
  }
  if (kind.form === "named")
    return Object.fromEntries(settings.map((setting) => [setting.at, withoutDefaults(kind, setting)]));
  const twice = findAmbiguousKeys(settings);
  return settings.map((setting) => ({
    ...(twice.has(setting.key) ? { id: setting.at } : {}),
    ...withoutDefaults(kind, setting),
  }));
}

/** The fields that say more than their defaults do. */
function withoutDefaults(kind: SettingKind, { fields, resource, label }: CurrentSetting): Fields {
  const usual = canonical(kind, {});
  const all = canonical(kind, fields);
  const secrets = references(kind, label, resource);
  const said = Object.keys(kind.fields).flatMap((name): [string, Value][] => {
    if (secretFields(kind).includes(name)) return secrets[name] === undefined ? [] : [[name, secrets[name]]];
    const value = fields[name];
    const isUsual = kind.fields[name]?.default !== undefined && isAlike(all[name], usual[name]);
    return value === undefined || value === null || isUsual ? [] : [[name, value]];
  });
  return Object.fromEntries(said);
}

function textOf(value: Value): string {
  // Texts that look like something else to an older YAML are quoted, and none is broken over lines.
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false, compat: "yaml-1.1" });
}
