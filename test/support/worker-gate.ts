import { createGate, type EmbeddedGate, type GateOptions } from "../../src/client/gate/index.ts";
import { PATIENCE_MS } from "./patience.ts";
import { serve } from "./worker.ts";

/** A gate in a caller's process, which asks the Worker under test. */
export function gateOf(key: string, options: Partial<GateOptions> = {}): EmbeddedGate {
  return createGate({
    key,
    url: "http://sluice.test",
    fetch: serve,
    flushMs: 20,
    timeoutMs: PATIENCE_MS,
    ...options,
  });
}
