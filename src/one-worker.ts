import type { Env } from "./edge/env.ts";
import { addHsts, isInTheClear } from "./edge/request/transport.ts";
import { handle } from "./worker.ts";
import { PROXIED } from "./proxied-path.ts";
import type { ProxyEnv } from "./proxy/index.ts";

export * from "./index.ts";

type OneEnv = Env & Omit<ProxyEnv, "SLUICE">;

const proxyEnvironments = new WeakMap<OneEnv, ProxyEnv>();

/** The proxy's environment: this Worker's, with its own gate as the service. One for each, because the proxy keeps its gates with it. */
function proxyEnvironment(env: OneEnv, { exports }: ExecutionContext): ProxyEnv {
  const known = proxyEnvironments.get(env);
  if (known !== undefined) return known;
  const made = { ...env, SLUICE: (exports as unknown as { Gate: ProxyEnv["SLUICE"] }).Gate } as ProxyEnv;
  proxyEnvironments.set(env, made);
  return made;
}

/** Loaded when it is first asked for, so that a cold location decides as soon as without it. */
async function relay(request: Request, env: OneEnv, context: ExecutionContext): Promise<Response> {
  const { default: proxy } = await import("./proxy/index.ts");
  return proxy.fetch(request, proxyEnvironment(env, context), context);
}

/** The service and the governed proxy in one Worker, for whoever wants to deploy a single one. */
export default {
  fetch(request, env, context) {
    const { url } = request;
    if (!PROXIED.test(url) || isInTheClear(url, env)) return handle(request, env, context);
    return addHsts(url, env, relay(request, env, context));
  },
} satisfies ExportedHandler<OneEnv>;
