import { beforeAll } from "vitest";

/**
 * The runtime ends a connection that was idle for five seconds. If it does not get to run for so long, on a busy machine or
 * a slow disk, it ends even those on which a request waits to be read: "ECONNRESET", "other side closed". A connection for each
 * call is never idle.
 */
const DISPATCHER = Symbol.for("undici.globalDispatcher.1");

type Agent = new (options: { pipelining: number }) => object;

beforeAll(async () => {
  // Node makes its own with the first call.
  await fetch("data:,");
  const made = Reflect.get(globalThis, DISPATCHER) as { readonly constructor: Agent };
  // No pipelining also means no keeping alive.
  Reflect.set(globalThis, DISPATCHER, new made.constructor({ pipelining: 0 }));
});
