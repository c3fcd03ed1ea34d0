import { SluiceError } from "../client/errors.ts";
import { refusalResponse } from "../adapters/refusal-response.ts";
import { type Context, createProxy, type Proxy } from "./proxy.ts";
import { optionsFrom, type ProxyEnv } from "./environment.ts";

export type { CallerField, Provider, ProviderName, ProxyOptions } from "./options.ts";
export { type Context, createProxy, type Proxy } from "./proxy.ts";
export type { ProxyEnv } from "./environment.ts";

const proxies = new WeakMap<ProxyEnv, Proxy>();

/** One proxy for each environment: its gates outlive requests. */
function proxyOf(env: ProxyEnv): Proxy {
  const known = proxies.get(env);
  if (known !== undefined) return known;
  const made = createProxy(optionsFrom(env));
  proxies.set(env, made);
  return made;
}

/** The proxy as a Worker. */
export default {
  async fetch(request: Request, env: ProxyEnv, context: Context): Promise<Response> {
    try {
      return await proxyOf(env).fetch(request, context);
    } catch (error) {
      const message =
        error instanceof SluiceError ? `The proxy is not set up: ${error.message}.` : "The proxy failed.";
      return refusalResponse({ status: 500, code: "internal", message, details: {} }, "openai");
    }
  },
};
