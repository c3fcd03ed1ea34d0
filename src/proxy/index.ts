import { SluiceError } from "../client/errors.ts";
import { type Context, createProxy, type Proxy } from "./proxy.ts";
import { optionsFrom, type ProxyEnv } from "./environment.ts";
import { ownAnswer } from "./own-answer.ts";
import { secretsOf } from "./provider-settings.ts";

export type {
  CallerField,
  ProviderAccess,
  ProviderName,
  ProxyLine,
  ProxyOptions,
  UnsettledLine,
} from "./options.ts";
export { type Context, createProxy, type Proxy } from "./proxy.ts";
export type { ProxyEnv } from "./environment.ts";

const proxies = new WeakMap<ProxyEnv, Proxy>();

/** One proxy for each environment: its gates outlive requests. */
function proxyOf(env: ProxyEnv): Proxy {
  const known = proxies.get(env);
  if (known !== undefined) return known;
  const options = optionsFrom(env);
  if (options.orgs === "*")
    log({
      source: "proxy",
      warning: "PROXY_ORGS is *: every org of the service may spend the keys of this proxy",
    });
  const made = createProxy({ ...options, log });
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
  return secretsOf(env)
    .reduce((text, key) => text.replaceAll(key, "[key]"), cause)
    .replaceAll(/svc_\w+/g, "[key]");
}

/** The proxy as a Worker. */
export default {
  async fetch(request: Request, env: ProxyEnv, context: Context): Promise<Response> {
    try {
      return await proxyOf(env).fetch(request, context);
    } catch (error) {
      // Its callers learn nothing of its settings: only the log says which one is wrong.
      const message =
        error instanceof SluiceError
          ? "The proxy is not set up. Its operator finds the reason in its log, under x-svc-trace-id."
          : "The proxy failed.";
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
