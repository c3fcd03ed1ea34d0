import type { Peppers } from "./domain/key/peppers.ts";
import {
  address,
  atLeast,
  BadSetting,
  matching,
  optionalSecret,
  type SettingReader,
  secret,
  share,
  text,
  wholeNumber,
  yesOrNo,
} from "./setting-kinds.ts";

/** Where the platform places this region's objects. A jurisdiction is guaranteed, a hint is not. */
export type ObjectPlacement =
  | { readonly kind: "anywhere" }
  | { readonly kind: "jurisdiction"; readonly jurisdiction: DurableObjectJurisdiction }
  | { readonly kind: "hint"; readonly hint: DurableObjectLocationHint };

const REGION = /^[a-z0-9-]{1,32}$/;

const regions: SettingReader<Readonly<Record<string, string>>> = (value) => {
  const given = text(value);
  if (given === undefined) return {};
  const entries = entriesIn(given);
  if (entries === null || !entries.every(isRegion)) {
    throw new BadSetting("must be a JSON object that maps each region to an address or service binding");
  }
  return Object.fromEntries(entries);
};

/** Null if it is no JSON object. */
function entriesIn(json: string): [string, unknown][] | null {
  try {
    const parsed: unknown = JSON.parse(json);
    const isObject = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
    return isObject ? Object.entries(parsed) : null;
  } catch {
    return null;
  }
}

function isRegion(entry: [string, unknown]): entry is [string, string] {
  const [name, where] = entry;
  return REGION.test(name) && typeof where === "string" && where !== "";
}

const placementText = matching(
  /^(jurisdiction:(eu|us|fedramp|fedramp-high)|hint:(wnam|enam|sam|weur|eeur|apac|oc|afr|me))?$/,
  "must be jurisdiction:<eu, us, fedramp, fedramp-high>, hint:<location hint>, or empty",
  "",
);

const placement: SettingReader<ObjectPlacement> = (value) => {
  const [kind, where = ""] = placementText(value).split(":");
  if (kind === "jurisdiction") return { kind, jurisdiction: where as DurableObjectJurisdiction };
  return kind === "hint" ? { kind, hint: where as DurableObjectLocationHint } : { kind: "anywhere" };
};

/**
 * The list of all settings, with default and validation. Secrets have no default. Without a library, because every cold
 * location runs this before its first decision.
 */
const SETTINGS = {
  SVC_REGION: matching(REGION, "must be 1 to 32 characters of a-z, 0-9 and -", "local"),
  SVC_REGIONS: regions,
  SVC_OBJECT_PLACEMENT: placement,
  SVC_KEY_PEPPER: secret,
  SVC_KEY_PEPPER_PREVIOUS: optionalSecret,
  SVC_ACCEPT_UNCHECKED_KEYS: yesOrNo,
  SVC_OPERATOR_KEY: secret,
  SVC_REGION_SECRET: optionalSecret,
  SVC_METRICS_TOKEN: atLeast(16, "must have at least 16 characters"),
  // Before the documentation URL, which is derived from it locally, so that of two invalid settings this one is named.
  SVC_BASE_URL: address("http://127.0.0.1:8787"),
  SVC_DOCS_URL: address("http://127.0.0.1:8787/docs"),
  SVC_MAX_BODY_BYTES: wholeNumber(1_048_576, 1024, 67_108_864),
  SVC_MAX_BULK_BODY_BYTES: wholeNumber(8_388_608, 1024, 67_108_864),
  SVC_READ_LIMIT_PER_MINUTE: wholeNumber(600, 0, 1_000_000_000),
  SVC_IDEMPOTENCY_INFLIGHT_TAKEOVER_SECS: wholeNumber(60, 1, 86_400),
  SVC_COHORT_FLOOR: wholeNumber(10, 5, 1_000_000),
  SVC_WEBHOOK_ALLOW_PRIVATE: yesOrNo,
  SVC_EMAIL_FROM: matching(
    /^([^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+)?$/,
    "must be an email address, or empty",
    "",
  ),
  SVC_LOG_DECISIONS: share("all", "refused"),
} satisfies Record<string, SettingReader<unknown>>;

export type Settings = {
  readonly [Name in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[Name]>;
};
export const SETTING_NAMES = Object.keys(SETTINGS) as (keyof Settings)[];

/** This region, and every other region that this one has an address for. */
export function knownRegions({ SVC_REGION, SVC_REGIONS }: Settings): string[] {
  return [...new Set([SVC_REGION, ...Object.keys(SVC_REGIONS)])];
}

export function peppersOf({ SVC_KEY_PEPPER, SVC_KEY_PEPPER_PREVIOUS }: Settings): Peppers {
  return SVC_KEY_PEPPER_PREVIOUS === undefined ? [SVC_KEY_PEPPER] : [SVC_KEY_PEPPER, SVC_KEY_PEPPER_PREVIOUS];
}

const parsed = new WeakMap<object, Settings>();

/** The environment, parsed once per isolate. Throws `BadSetting` if a value is invalid. */
export function settingsOf(env: object): Settings {
  const known = parsed.get(env);
  if (known !== undefined) return known;
  const settings = readSettings(env as Readonly<Record<string, unknown>>);
  const { SVC_REGION, SVC_REGIONS, SVC_REGION_SECRET, SVC_KEY_PEPPER, SVC_KEY_PEPPER_PREVIOUS } = settings;
  if (SVC_KEY_PEPPER === SVC_KEY_PEPPER_PREVIOUS) {
    throw new BadSetting("Setting SVC_KEY_PEPPER_PREVIOUS must not be the same as SVC_KEY_PEPPER.");
  }
  const hasPeers = Object.keys(SVC_REGIONS).some((region) => region !== SVC_REGION);
  if (hasPeers && SVC_REGION_SECRET === undefined) {
    throw new BadSetting("Setting SVC_REGION_SECRET is required when SVC_REGIONS names other regions.");
  }
  parsed.set(env, settings);
  return settings;
}

function readSettings(env: Readonly<Record<string, unknown>>): Settings {
  const read = Object.entries(SETTINGS).map(([name, setting]) => {
    try {
      return [name, setting(env[name])];
    } catch (error) {
      if (error instanceof BadSetting) throw new BadSetting(`Setting ${name} ${error.message}.`);
      throw error;
    }
  });
  return Object.fromEntries(read) as Settings;
}
