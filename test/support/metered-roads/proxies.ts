import { createProxy } from "../../../src/proxy/index.ts";
import { PROVIDER_KEY } from "../governed.ts";
import { PATIENCE_MS } from "../patience.ts";
import { sharedServer } from "../server.ts";
import { overSocket } from "../stepped-provider.ts";
import type { Shape } from "../billing-provider/shape.ts";
import {
  ADDRESSES,
  Background,
  GRACE_MS,
  hasAddress,
  isLeftAlone,
  read,
  requestOf,
  type Road,
  sentTo,
  type Surroundings,
} from "./road.ts";

/** The header by which a proxy learns whose run a call is. */
const WORKFLOW = "x-sluice-workflow-id";

/** The proxy in this process. */
export function nodeProxy({ key, provider }: Surroundings): Road {
  const background = new Background();
  const providers = Object.fromEntries(
    Object.entries(ADDRESSES).map(([host, url]) => [host, { key: PROVIDER_KEY, url }]),
  );
  const proxyThat = (onLeave: "stop" | "finish") =>
    createProxy({
      url: sharedServer().urls[0],
      orgs: "*",
      providers,
      decisionTimeoutMs: PATIENCE_MS,
      leaveGraceMs: GRACE_MS,
      onLeave,
      fetch: sentTo(provider),
    });
  const [stops, finishes] = [proxyThat("stop"), proxyThat("finish")];
  return {
    name: "proxy in Node",
    settled: background.settled,
    takes: hasAddress,
    async call(shape, name) {
      const { headers, body } = requestOf(shape, name);
      const request = new Request(`http://proxy.test/${shape.host}${shape.path}`, {
        method: "POST",
        headers: { ...headers, authorization: `Bearer ${key}`, [WORKFLOW]: name },
        body,
      });
      await read(await (isLeftAlone(shape) ? finishes : stops).fetch(request, background), shape);
    },
  };
}

/** The proxy as a Worker in its own runtime, at this address. */
export function workerProxy(url: string, { key }: Surroundings): Road {
  return {
    name: "proxy in workerd",
    takes: (shape: Shape) => hasAddress(shape) && !isLeftAlone(shape),
    async call(shape, name) {
      const { headers, body } = requestOf(shape, name);
      const leaving = new AbortController();
      const address = `${url}/${shape.host}${shape.path}`;
      const named = { ...headers, authorization: `Bearer ${key}`, [WORKFLOW]: name };
      const answer =
        typeof body === "string"
          ? await overSocket(address, { headers: named, body, signal: leaving.signal })
          : await fetch(address, { method: "POST", headers: named, body });
      await read(answer, shape, () => leaving.abort());
    },
  };
}

/** What the Worker is configured with beside the shared server's address. */
export const workerSettings = (provider: string): Record<string, string> => ({
  ...Object.fromEntries(
    Object.keys(ADDRESSES).flatMap((host) => [
      [`${host.toUpperCase()}_URL`, provider],
      [`${host.toUpperCase()}_API_KEY`, PROVIDER_KEY],
    ]),
  ),
  PROXY_LEAVE_GRACE_MS: String(GRACE_MS),
});
