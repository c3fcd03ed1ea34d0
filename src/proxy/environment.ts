import { checkOtherPaths, type OtherPaths } from "../adapters/other-paths.ts";
import { SluiceError } from "../client/errors.ts";
import type { GateBinding } from "../client/gate/binding.ts";
import { CALLER_FIELDS, type CallerField, type ProxyOptions } from "./options.ts";
import { jsonObjectIn, type ProviderSettings, providersIn } from "./provider-settings.ts";

/** The proxy's bindings, as its wrangler.toml names them. */
export type ProxyEnv = {
  readonly SLUICE?: GateBinding;
  readonly SLUICE_URL?: string;
} & { readonly [Name in Setting]?: string } & ProviderSettings;

type Setting = `PROXY_${
  | "ORGS"
  | "OWN_KEYS"
  | "CALLER_SETS"
  | "KEY_FIELDS"
  | "OTHER_PATHS"
  | "DEFAULT_MAX_OUTPUT_TOKENS"
  | "UNSEEN_INPUT"
  | "BACKGROUND"
  | "HOSTED_TOOL_PASSES"
  | "ON_LEAVE"
  | "LEAVE_GRACE_MS"
  | "TRUSTS_COST"
  | "ON_EXPIRY"
  | "MAX_BODY_BYTES"
  | "MAX_BODIES_BYTES"
  | "BODY_TIMEOUT_MS"
  | "DECISION_TIMEOUT_MS"
  | "RETRIES"
  | "LONGEST_RETRY_MS"}`;

/** Throws an error that names the setting that is wrong, and never its value. */
export function optionsFrom(env: ProxyEnv): ProxyOptions {
  if (env.SLUICE === undefined && !env.SLUICE_URL) {
    throw new SluiceError("set SLUICE_URL, or bind the service's Gate entrypoint as SLUICE");
  }
  const providers = providersIn(env);
  return {
    binding: env.SLUICE,
    url: env.SLUICE_URL,
    orgs: orgsIn(env.PROXY_ORGS),
    providers,
    ownKeys: choiceIn(env, "PROXY_OWN_KEYS", ["true", "false"]) === "true",
    callerSets: fieldsIn(env.PROXY_CALLER_SETS),
    keyFields: keyFieldsIn(env.PROXY_KEY_FIELDS),
    otherPaths: otherPathsIn(env.PROXY_OTHER_PATHS),
    defaultMaxOutputTokens: numberIn(env, "PROXY_DEFAULT_MAX_OUTPUT_TOKENS"),
    unseenInput: choiceIn(env, "PROXY_UNSEEN_INPUT", ["reserve", "refuse"]),
    background: choiceIn(env, "PROXY_BACKGROUND", ["refuse", "reserve"]),
    hostedToolPasses: passesIn(env.PROXY_HOSTED_TOOL_PASSES),
    onLeave: choiceIn(env, "PROXY_ON_LEAVE", ["stop", "finish"]),
    leaveGraceMs: numberIn(env, "PROXY_LEAVE_GRACE_MS"),
    trustsCost: trustedIn(env.PROXY_TRUSTS_COST, Object.keys(providers)),
    onExpiry: choiceIn(env, "PROXY_ON_EXPIRY", ["charge", "release"]),
    mostBodyBytes: numberIn(env, "PROXY_MAX_BODY_BYTES"),
    mostBodiesBytes: numberIn(env, "PROXY_MAX_BODIES_BYTES"),
    decisionTimeoutMs: numberIn(env, "PROXY_DECISION_TIMEOUT_MS"),
    bodyTimeoutMs: numberIn(env, "PROXY_BODY_TIMEOUT_MS"),
    retries: retriesIn(env.PROXY_RETRIES),
    longestRetryMs: numberIn(env, "PROXY_LONGEST_RETRY_MS"),
  };
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

function fieldsIn(text: string | undefined): readonly CallerField[] | undefined {
  if (text === undefined) return undefined;
  const names = listIn(text);
  if (names.every((name) => CALLER_FIELDS.some((field) => field === name))) return names as CallerField[];
  throw new SluiceError(
    `PROXY_CALLER_SETS must be a list of ${CALLER_FIELDS.join(", ")}, separated by commas`,
  );
}

function trustedIn(text: string | undefined, served: readonly string[]): readonly string[] {
  const names = listIn(text);
  if (names.every((name) => served.includes(name))) return names;
  throw new SluiceError(`PROXY_TRUSTS_COST must be a list of ${served.join(", ")}`);
}

function listIn(text: string | undefined): string[] {
  return (text ?? "").split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));
}

function keyFieldsIn(text: string | undefined): ProxyOptions["keyFields"] {
  const fields = jsonObjectIn(text);
  if (fields !== null && Object.entries(fields).every(isFieldsOfKey))
    return fields as ProxyOptions["keyFields"];
  throw new SluiceError('PROXY_KEY_FIELDS must be JSON such as {"key_…": {"customer_id": "acme"}}');
}

function isFieldsOfKey([key, value]: [string, unknown]): boolean {
  return key.startsWith("key_") && typeof value === "object";
}

function otherPathsIn(text: string | undefined): OtherPaths {
  const paths = jsonObjectIn(text) as OtherPaths | null;
  if (paths === null)
    throw new SluiceError('PROXY_OTHER_PATHS must be JSON such as {"POST /v1/batches": "2.50"}');
  checkOtherPaths(paths, "PROXY_OTHER_PATHS");
  return paths;
}

function numberIn(env: ProxyEnv, name: Setting): number | undefined {
  const text = env[name];
  if (!text) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new SluiceError(`${name} must be a positive whole number`);
}

function passesIn(text: string | undefined): number | undefined {
  if (!text) return undefined;
  if (/^(?:[2-9]|[1-9]\d|100)$/.test(text)) return Number(text);
  throw new SluiceError("PROXY_HOSTED_TOOL_PASSES must be a whole number from 2 to 100");
}

function retriesIn(text: string | undefined): number | undefined {
  if (!text) return undefined;
  if (/^[0-5]$/.test(text)) return Number(text);
  throw new SluiceError("PROXY_RETRIES must be a whole number from 0 to 5");
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
