import type { GateBinding } from "../client/gate/binding.ts";
import { SluiceError } from "../client/errors.ts";
import {
  CALLER_FIELDS,
  type CallerField,
  type Provider,
  type ProxyOptions,
  SET_BY_ANYONE,
} from "./options.ts";

/** The proxy's bindings, as its wrangler.toml names them. */
export interface ProxyEnv {
  readonly SLUICE?: GateBinding;
  readonly SLUICE_URL?: string;
  readonly OPENAI_API_KEY?: string;
  readonly OPENAI_URL?: string;
  readonly ANTHROPIC_API_KEY?: string;
  readonly ANTHROPIC_URL?: string;
  readonly PROXY_CALLER_SETS?: string;
  readonly PROXY_KEY_FIELDS?: string;
  readonly PROXY_OTHER_ESTIMATE_USD?: string;
  readonly PROXY_MAX_BODY_BYTES?: string;
  readonly PROXY_STREAM_USAGE?: string;
}

/** Throws an error that names the setting that is wrong, and never its value. */
export function optionsFrom(env: ProxyEnv): ProxyOptions {
  if (env.SLUICE === undefined && !env.SLUICE_URL) {
    throw new SluiceError("set SLUICE_URL, or bind the service's Gate entrypoint as SLUICE");
  }
  return {
    binding: env.SLUICE,
    url: env.SLUICE_URL,
    providers: {
      openai: providerOf("OPENAI", env.OPENAI_API_KEY, env.OPENAI_URL || "https://api.openai.com"),
      anthropic: providerOf(
        "ANTHROPIC",
        env.ANTHROPIC_API_KEY,
        env.ANTHROPIC_URL || "https://api.anthropic.com",
      ),
    },
    callerSets: fieldsIn(env.PROXY_CALLER_SETS),
    keyFields: keyFieldsIn(env.PROXY_KEY_FIELDS),
    otherEstimateUsd: amountIn(env.PROXY_OTHER_ESTIMATE_USD),
    mostBodyBytes: bytesIn(env.PROXY_MAX_BODY_BYTES),
    addsStreamUsage: isOn("PROXY_STREAM_USAGE", env.PROXY_STREAM_USAGE),
  };
}

function providerOf(name: string, key: string | undefined, url: string): Provider | undefined {
  if (!key) return undefined;
  if (!/^[\u0021-\u007e]+$/.test(key)) throw new SluiceError(`${name}_API_KEY must be printable ASCII`);
  if (!/^https?:\/\/[^/?#]+[^?#]*$/.test(url))
    throw new SluiceError(`${name}_URL must be an address without a query`);
  return { key, url };
}

function fieldsIn(text: string | undefined): readonly CallerField[] {
  if (text === undefined) return SET_BY_ANYONE;
  const names = text.split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));
  const unknown = names.find((name) => !CALLER_FIELDS.some((field) => field === name));
  if (unknown === undefined) return names as CallerField[];
  throw new SluiceError(
    `PROXY_CALLER_SETS must be a list of ${CALLER_FIELDS.join(", ")}, separated by commas`,
  );
}

function keyFieldsIn(text: string | undefined): ProxyOptions["keyFields"] {
  if (!text) return {};
  try {
    const fields = JSON.parse(text) as Record<string, object>;
    if (Object.entries(fields).every(([key, value]) => key.startsWith("key_") && typeof value === "object")) {
      return fields;
    }
  } catch {
    // Not JSON: the same message.
  }
  throw new SluiceError('PROXY_KEY_FIELDS must be JSON such as {"key_…": {"customer_id": "acme"}}');
}

function amountIn(text: string | undefined): string | undefined {
  if (!text) return undefined;
  if (/^\d{1,9}(\.\d{1,9})?$/.test(text)) return text;
  throw new SluiceError('PROXY_OTHER_ESTIMATE_USD must be an amount such as "0.01"');
}

function bytesIn(text: string | undefined): number | undefined {
  if (!text) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new SluiceError("PROXY_MAX_BODY_BYTES must be a number of bytes");
}

function isOn(name: string, text: string | undefined): boolean {
  if (!text || text === "false") return false;
  if (text === "true") return true;
  throw new SluiceError(`${name} must be true or false`);
}
