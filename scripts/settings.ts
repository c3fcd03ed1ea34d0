import { BadSetting } from "../src/setting-kinds.ts";
import { SETTING_NAMES, settingsOf } from "../src/settings.ts";
import { Complaint } from "./complaint.ts";

type Values = Readonly<Record<string, unknown>>;

const KNOWN: ReadonlySet<string> = new Set(SETTING_NAMES);

/** Unknown `SVC_` names: misspelled, or from another version. They are ignored with a warning. */
export function unknownSettings(environment: NodeJS.ProcessEnv): string[] {
  return Object.keys(environment).filter((name) => name.startsWith("SVC_") && !KNOWN.has(name));
}

/**
 * The Worker's settings: the defaults of wrangler.toml, then local values, then every setting in the environment. The
 * Worker's own validation runs here, so that an invalid value is reported before anything starts.
 */
export function resolveSettings(
  defaults: Values,
  environment: NodeJS.ProcessEnv,
  secrets: Values,
  url: string,
): Record<string, string> {
  const given = Object.entries(environment).filter(([name]) => KNOWN.has(name));
  const base = environment["SVC_BASE_URL"] ?? url;
  const merged = {
    ...defaults,
    SVC_BASE_URL: base,
    SVC_DOCS_URL: `${base}/docs`,
    ...secrets,
    ...Object.fromEntries(given),
  };
  const settings = Object.fromEntries(
    Object.entries(merged).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
  try {
    settingsOf(settings);
  } catch (error) {
    if (error instanceof BadSetting) throw new Complaint(error.message);
    throw error;
  }
  return settings;
}
