import { SluiceError } from "../client/errors.ts";
import { isJsonObject } from "../providers/json.ts";
import type { Provider } from "../providers/provider.ts";
import { PROVIDERS } from "../providers/table.ts";
import type { ProviderAccess, ProviderName } from "./options.ts";

/** `OPENAI_API_KEY`, `OPENAI_URL` and `OPENAI_MODELS`, and so on for each provider of the table; others in one setting. */
export type ProviderSettings = {
  readonly [
    Name in `${Uppercase<ProviderName>}_${"API_KEY" | "URL" | "MODELS" | "MORE"}` | "PROXY_PROVIDERS"
  ]?: string;
};

const PROVIDER_NAMES = Object.keys(PROVIDERS) as ProviderName[];
const ASCII = /^[\u0021-\u007e]+$/;
const MOST_MORE = 5;
const ADDRESS = /^https?:\/\/[^/?#]+[^?#]*$/;

/** Throws an error that names the setting that is wrong, and never its value. */
export function providersIn(env: ProviderSettings): Record<string, ProviderAccess | undefined> {
  return {
    ...Object.fromEntries(PROVIDER_NAMES.map((name) => [name, accessIn(env, name)])),
    ...ownProvidersIn(env.PROXY_PROVIDERS),
  };
}

/** The secrets of providers, which must not appear anywhere. */
export function secretsOf(env: ProviderSettings): string[] {
  const keys = PROVIDER_NAMES.flatMap((name) => partsOf(name, env[`${upper(name)}_API_KEY`]));
  const own = Object.values(jsonObjectIn(env.PROXY_PROVIDERS) ?? {}).filter(isJsonObject);
  const given = own.flatMap(({ key, headers, more }) => [
    key,
    ...Object.values(isJsonObject(headers) ? headers : {}),
    ...(isMore(more) ? more.map((one) => one.key) : []),
  ]);
  const others = PROVIDER_NAMES.flatMap((name) => {
    const list = jsonObjectIn(`{"list":${env[`${upper(name)}_MORE`] || "[]"}}`)?.["list"];
    return isMore(list) ? list.flatMap((one) => partsOf(name, one.key)) : [];
  });
  return [...keys, ...given, ...others].filter(
    (secret) => typeof secret === "string" && secret !== "",
  ) as string[];
}

/** A key, and what it has in it that signs requests. */
function partsOf(provider: ProviderName, key: string | undefined): (string | undefined)[] {
  const { signsWith }: Provider = PROVIDERS[provider];
  const { secretAccessKey, sessionToken } = signsWith?.(key ?? "") ?? {};
  return [key, secretAccessKey, sessionToken];
}

function upper<Name extends ProviderName>(name: Name): Uppercase<Name> {
  return name.toUpperCase() as Uppercase<Name>;
}

function accessIn(env: ProviderSettings, provider: ProviderName): ProviderAccess | undefined {
  const name = upper(provider);
  const key = env[`${name}_API_KEY`] || undefined;
  const url = env[`${name}_URL`] || undefined;
  if (key === undefined && url === undefined) return undefined;
  if (key !== undefined && !ASCII.test(key)) throw new SluiceError(`${name}_API_KEY must be printable ASCII`);
  if (url !== undefined && !ADDRESS.test(url))
    throw new SluiceError(`${name}_URL must be an address without a query`);
  const models = jsonObjectIn(env[`${name}_MODELS`]);
  if (!isTexts(models))
    throw new SluiceError(`${name}_MODELS must be JSON such as {"my-deployment": "gpt-4o"}`);
  return { key, url, models, more: moreIn(env[`${name}_MORE`], `${name}_MORE`) };
}

type More = NonNullable<ProviderAccess["more"]>;

/** Other keys and hosts of a provider. */
function moreIn(text: string | undefined, setting: string): More {
  const list = jsonObjectIn(`{"list":${text || "[]"}}`)?.["list"];
  if (isMore(list)) return list;
  throw new SluiceError(`${setting} must be JSON such as [{"key": "…", "url": "https://…"}]`);
}

function isMore(value: unknown): value is More {
  return Array.isArray(value) && value.length <= MOST_MORE && value.every(isOneMore);
}

function isOneMore(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { key = "none", url = "https://none", ...rest } = value;
  const isKey = typeof key === "string" && ASCII.test(key);
  return isKey && typeof url === "string" && ADDRESS.test(url) && Object.keys(rest).length === 0;
}

/** Providers under names of the operator's own. */
function ownProvidersIn(text: string | undefined): Record<string, ProviderAccess> {
  const own = jsonObjectIn(text);
  if (own === null)
    throw new SluiceError(
      'PROXY_PROVIDERS must be JSON such as {"my-host": {"url": "https://…", "key": "…"}}',
    );
  for (const [name, access] of Object.entries(own)) {
    const problem = Object.hasOwn(PROVIDERS, name) ? "has settings of its own" : problemOf(access);
    if (problem !== null) throw new SluiceError(`PROXY_PROVIDERS: ${name} ${problem}`);
  }
  return own as Record<string, ProviderAccess>;
}

/** Returns the problem of a provider of the operator's own. */
function problemOf(access: unknown): string | null {
  if (!isJsonObject(access)) return "must be an object";
  const {
    url,
    key = "none",
    headers = {},
    prices = "none",
    compatibleWith = "openai",
    models = {},
    more = [],
    ...rest
  } = access;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) return `has an unknown member ${unknown}`;
  if (typeof url !== "string" || !ADDRESS.test(url))
    return "needs a url, which is an address without a query";
  if (typeof key !== "string" || !ASCII.test(key)) return "has a key that is not printable ASCII";
  if (!isMore(more)) return "has more that is no list of keys and urls";
  if (!isTexts(headers)) return "has headers that are not texts by their names";
  if (!isTexts(models)) return "has models that are not texts by their names";
  if (typeof prices !== "string") return "has prices that do not name a provider";
  return compatibleWith === "openai" || compatibleWith === "anthropic"
    ? null
    : "must be compatibleWith openai or anthropic";
}

function isTexts(value: unknown): value is Record<string, string> {
  return isJsonObject(value) && Object.values(value).every((text) => typeof text === "string");
}

/** Null: the text is no JSON object. Empty: there is none. */
export function jsonObjectIn(text: string | undefined): Readonly<Record<string, unknown>> | null {
  if (!text) return {};
  try {
    const value = JSON.parse(text) as unknown;
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
