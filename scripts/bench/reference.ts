import { bundleWorker } from "../bundle.ts";
import { type OwnRuntime, startAlone } from "./own-runtime.ts";

/** The same workerd with a bare Hono app. */
export async function startReference(): Promise<OwnRuntime> {
  const script = await bundleWorker("scripts/bench/reference-worker.ts");
  return startAlone(script, { durableObjects: { COUNTER: { className: "Counter", useSQLite: true } } });
}
