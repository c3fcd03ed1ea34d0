import { DurableObject, WorkerEntrypoint } from "cloudflare:workers";

/**
 * The test pool wraps the prototype of its stand-in for an object or an entrypoint in one more proxy at each new
 * instance: every call is slower than the one before, until the stack is full. Once is enough.
 */
const shared = globalThis as { flatPrototypes?: WeakSet<object> };

// Files share an isolate, and each of them comes by here.
if (shared.flatPrototypes === undefined) {
  const wrapped = new WeakSet<object>();
  shared.flatPrototypes = wrapped;
  globalThis.Proxy = new Proxy(Proxy, {
    construct(made, [target, handler]: [object, ProxyHandler<object>]) {
      if (wrapped.has(target)) return target;
      const proxy = new made(target, handler);
      if (target instanceof DurableObject || target instanceof WorkerEntrypoint) wrapped.add(proxy);
      return proxy;
    },
  });
}
