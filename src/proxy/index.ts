import { SluiceError } from "../client/errors.ts";
import { type Context, createProxy, type Proxy } from "./proxy.ts";
import { optionsFrom, type ProxyEnv } from "./environment.ts";
import { ownAnswer } from "./own-answer.ts";

export type { CallerField, Provider, ProviderName, ProxyLine, ProxyOptions } from "./options.ts";
export { type Context, createProxy, type Proxy } from "./proxy.ts";
export type { ProxyEnv } from "./environment.ts";

const proxies = new WeakMap<ProxyEnv, Proxy>();

/** One proxy for each environment: its gates outlive requests. */
function proxyOf(env: ProxyEnv): Proxy {
  const known = proxies.get(env);
  if (known !== undefined) return known;
  const made = createProxy({ ...optionsFrom(env), log });
  proxies.set(env, made);
  return made;
}

function log(line: object): void {
  // oxlint-disable-next-line no-console -- what a Worker writes there is its log
  console.log(JSON.stringify(line));
}

/** Why the proxy failed, for its operator. */
function withoutKeys(error: unknown, env: ProxyEnv): string {
  const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const keys = [env.OPENAI_API_KEY, env.ANTHROPIC_API_KEY].flatMap((key) => (key ? [key] : []));
  return keys.reduce((text, key) => text.replaceAll(key, "[key]"), cause).replaceAll(/svc_\w+/g, "[key]");
}

/** The proxy as a Worker. */
export default {
  async fetch(request: Request, env: ProxyEnv, context: Context): Promise<Response> {
    try {
      return await proxyOf(env).fetch(request, context);
    } catch (error) {
      const message =
        error instanceof SluiceError ? `The proxy is not set up: ${error.message}.` : "The proxy failed.";
      const cause = withoutKeys(error, env);
      return ownAnswer(
        { status: 500, code: "internal", message, details: {} },
        {
          method: request.method,
          target: null,
          startedAt: Date.now(),
          log: (line) => log({ ...line, cause }),
        },
      );
    }
  },
};
