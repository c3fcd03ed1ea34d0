import { DurableObject, WorkerEntrypoint } from "cloudflare:workers";

/** What the test pool does at every call of an object, done once. Files share an isolate, and each calls this. */
type Import = (path: string) => Promise<unknown>;
const shared = globalThis as typeof globalThis & {
  __vitest_mocker__: { moduleRunner: { import: Import } };
  poolMended?: true;
};

export function mendPool(): void {
  if (shared.poolMended !== undefined) return;
  shared.poolMended = true;
  wrapPrototypesOnce();
  importOnce();
}

/**
 * The pool wraps the prototype of its stand-in for an object or an entrypoint in one more proxy for each new instance,
 * so every call is slower than the previous one, until the stack overflows.
 */
function wrapPrototypesOnce(): void {
  const wrapped = new WeakSet<object>();
  globalThis.Proxy = new Proxy(Proxy, {
    construct(made, [target, handler]: [object, ProxyHandler<object>]) {
      if (wrapped.has(target)) return target;
      const proxy = new made(target, handler);
      if (target instanceof DurableObject || target instanceof WorkerEntrypoint) wrapped.add(proxy);
      return proxy;
    },
  });
}

/**
 * The pool asks the test runner for the Worker's module at each call of an object. A call between two files, such as an
 * alarm's, would get no answer.
 */
function importOnce(): void {
  const runner = shared.__vitest_mocker__.moduleRunner;
  const load = runner.import.bind(runner);
  const loaded = new Map<string, unknown>();
  runner.import = async (path) => {
    if (!path.endsWith("/src/index.ts")) return load(path);
    if (!loaded.has(path)) loaded.set(path, await load(path));
    return loaded.get(path);
  };
}
