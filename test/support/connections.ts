import { beforeAll } from "vitest";

/**
 * The runtime closes a connection that was idle for five seconds. A client that keeps it nearly as long may send a request on
 * it at that very moment, and on a busy machine does: "ECONNRESET". Ours lets go of it long before.
 */
const IDLE_MS = 500;
const DISPATCHER = Symbol.for("undici.globalDispatcher.1");

type Agent = new (options: { keepAliveTimeout: number; keepAliveMaxTimeout: number }) => object;

beforeAll(async () => {
  // Node makes its own with the first call.
  await fetch("data:,");
  const made = Reflect.get(globalThis, DISPATCHER) as { readonly constructor: Agent };
  const agent = new made.constructor({ keepAliveTimeout: IDLE_MS, keepAliveMaxTimeout: IDLE_MS });
  Reflect.set(globalThis, DISPATCHER, agent);
});
