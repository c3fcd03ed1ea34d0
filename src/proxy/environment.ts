import { checkOtherPaths, type OtherPaths } from "../adapters/other-paths.ts";
import { SluiceError } from "../client/errors.ts";
import type { GateBinding } from "../client/gate/binding.ts";
import { PROVIDERS } from "../providers/table.ts";
import {
  CALLER_FIELDS,
  type CallerField,
  type ProviderAccess,
  type ProviderName,
  type ProxyOptions,
} from "./options.ts";

/** The proxy's bindings, as its wrangler.toml names them: `OPENAI_API_KEY`, `OPENAI_URL` and so on for each provider. */
export type ProxyEnv = {
  readonly SLUICE?: GateBinding;
  readonly SLUICE_URL?: string;
} & { readonly [Name in Setting | ProviderSetting]?: string };

type ProviderSetting = `${Uppercase<ProviderName>}_${"API_KEY" | "URL"}`;
type Setting = `PROXY_${
  | "ORGS"
  | "CALLER_SETS"
  | "KEY_FIELDS"
  | "OTHER_PATHS"
  | "DEFAULT_MAX_OUTPUT_TOKENS"
  | "UNSEEN_INPUT"
  | "BACKGROUND"
  | "ON_LEAVE"
  | "LEAVE_GRACE_MS"
  | "TRUSTS_COST"
  | "ON_EXPIRY"
  | "MAX_BODY_BYTES"
  | "MAX_BODIES_BYTES"
  | "BODY_TIMEOUT_MS"}`;

export const PROVIDER_NAMES = Object.keys(PROVIDERS) as ProviderName[];

/** Throws an error that names the setting that is wrong, and never its value. */
export function optionsFrom(env: ProxyEnv): ProxyOptions {
  if (env.SLUICE === undefined && !env.SLUICE_URL) {
    throw new SluiceError("set SLUICE_URL, or bind the service's Gate entrypoint as SLUICE");
  }
  return {
    binding: env.SLUICE,
    url: env.SLUICE_URL,
    orgs: orgsIn(env.PROXY_ORGS),
    providers: Object.fromEntries(PROVIDER_NAMES.map((name) => [name, accessIn(env, name)])),
    callerSets: fieldsIn(env.PROXY_CALLER_SETS),
    keyFields: keyFieldsIn(env.PROXY_KEY_FIELDS),
    otherPaths: otherPathsIn(env.PROXY_OTHER_PATHS),
    defaultMaxOutputTokens: numberIn(env, "PROXY_DEFAULT_MAX_OUTPUT_TOKENS"),
    unseenInput: choiceIn(env, "PROXY_UNSEEN_INPUT", ["reserve", "refuse"]),
    background: choiceIn(env, "PROXY_BACKGROUND", ["refuse", "reserve"]),
    onLeave: choiceIn(env, "PROXY_ON_LEAVE", ["stop", "finish"]),
    leaveGraceMs: numberIn(env, "PROXY_LEAVE_GRACE_MS"),
    trustsCost: trustedIn(env.PROXY_TRUSTS_COST),
    onExpiry: choiceIn(env, "PROXY_ON_EXPIRY", ["charge", "release"]),
    mostBodyBytes: numberIn(env, "PROXY_MAX_BODY_BYTES"),
    mostBodiesBytes: numberIn(env, "PROXY_MAX_BODIES_BYTES"),
    bodyTimeoutMs: numberIn(env, "PROXY_BODY_TIMEOUT_MS"),
  };
}

/** The keys of providers, which must not appear anywhere. */
export function keysIn(env: ProxyEnv): string[] {
  return PROVIDER_NAMES.flatMap((name) => env[`${upper(name)}_API_KEY`] || []);
}

function upper<Name extends ProviderName>(name: Name): Uppercase<Name> {
  return name.toUpperCase() as Uppercase<Name>;
}

const ORG_OR_KEY = /^(?:org|key)_[0-9A-Z]{26}$/;

function orgsIn(text: string | undefined): readonly string[] | "*" {
  const names = listIn(text);
  if (names.length === 1 && names[0] === "*") return "*";
  if (names.length > 0 && names.every((name) => ORG_OR_KEY.test(name))) return names;
  throw new SluiceError(
    "PROXY_ORGS must name the orgs (org_…) or keys (key_…) that this proxy serves, separated by commas, or be * for every org of the service",
  );
}

function accessIn(env: ProxyEnv, provider: ProviderName): ProviderAccess | undefined {
  const name = upper(provider);
  const key = env[`${name}_API_KEY`];
  const url = env[`${name}_URL`] || undefined;
  if (!key) return undefined;
  if (!/^[\u0021-\u007e]+$/.test(key)) throw new SluiceError(`${name}_API_KEY must be printable ASCII`);
  if (url !== undefined && !/^https?:\/\/[^/?#]+[^?#]*$/.test(url))
    throw new SluiceError(`${name}_URL must be an address without a query`);
  return { key, url };
}

function fieldsIn(text: string | undefined): readonly CallerField[] | undefined {
  if (text === undefined) return undefined;
  const names = listIn(text);
  if (names.every((name) => CALLER_FIELDS.some((field) => field === name))) return names as CallerField[];
  throw new SluiceError(
    `PROXY_CALLER_SETS must be a list of ${CALLER_FIELDS.join(", ")}, separated by commas`,
  );
}

function trustedIn(text: string | undefined): readonly ProviderName[] {
  const names = listIn(text);
  if (names.every((name) => PROVIDER_NAMES.some((known) => known === name))) return names as ProviderName[];
  throw new SluiceError(`PROXY_TRUSTS_COST must be a list of ${PROVIDER_NAMES.join(", ")}`);
}

function listIn(text: string | undefined): string[] {
  return (text ?? "").split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));
}

function keyFieldsIn(text: string | undefined): ProxyOptions["keyFields"] {
  const fields = objectIn<object>(text);
  if (fields !== null && Object.entries(fields).every(isFieldsOfKey)) return fields;
  throw new SluiceError('PROXY_KEY_FIELDS must be JSON such as {"key_…": {"customer_id": "acme"}}');
}

function isFieldsOfKey([key, value]: [string, unknown]): boolean {
  return key.startsWith("key_") && typeof value === "object";
}

function otherPathsIn(text: string | undefined): OtherPaths {
  const paths = objectIn<string>(text);
  if (paths === null)
    throw new SluiceError('PROXY_OTHER_PATHS must be JSON such as {"POST /v1/batches": "2.50"}');
  checkOtherPaths(paths, "PROXY_OTHER_PATHS");
  return paths;
}

/** Null: the text is no JSON object. */
function objectIn<Value>(text: string | undefined): Record<string, Value> | null {
  if (!text) return {};
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === "object" && !Array.isArray(value)
      ? (value as Record<string, Value> | null)
      : null;
  } catch {
    return null;
  }
}

function numberIn(env: ProxyEnv, name: Setting): number | undefined {
  const text = env[name];
  if (!text) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new SluiceError(`${name} must be a positive whole number`);
}

function choiceIn<Choice extends string>(
  env: ProxyEnv,
  name: Setting,
  choices: readonly Choice[],
): Choice | undefined {
  const text = env[name];
  if (!text) return undefined;
  const choice = choices.find((one) => one === text);
  if (choice !== undefined) return choice;
  throw new SluiceError(`${name} must be ${choices.join(" or ")}`);
}
