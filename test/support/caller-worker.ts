import { createGate, type GateBinding } from "../../src/client/gate/index.ts";
import { PATIENCE_MS } from "./patience.ts";

/** Another Worker of the account, with a service binding to the entrypoint `Gate`. It does what a test tells it to. */

interface CallerEnv {
  readonly SLUICE: GateBinding;
}

type CallerMessage =
  | { readonly method: keyof GateBinding; readonly given: readonly unknown[] }
  | { readonly key: string; readonly calls: number };

const ASK = { estimate: { cost_usd: "0.01" } };
const RUN = { model: "m", usage: { input_tokens: 1, output_tokens: 1 }, cost_usd: "0.005" };

/** Half of its calls are settled, one is renewed, and the others are released. */
async function govern(binding: GateBinding, key: string, calls: number, context: ExecutionContext) {
  const gate = createGate({
    binding,
    key,
    timeoutMs: PATIENCE_MS,
    waitUntil: (work) => context.waitUntil(work),
  });
  const allowed = [];
  for (let at = 0; at < calls; at += 1) allowed.push(await gate.decide(ASK));
  const [kept, ...others] = allowed;
  for (const one of others.slice(0, calls / 2)) gate.settle(one, RUN);
  for (const one of others.slice(calls / 2)) await gate.release(one);
  const renewed = kept === undefined ? null : await gate.renew(kept, { amount_usd: "0.02" });
  await gate.close();
  return { renewed, stats: gate.stats };
}

export default {
  async fetch(request, { SLUICE }, context) {
    const told: CallerMessage = await request.json();
    if ("key" in told) return Response.json(await govern(SLUICE, told.key, told.calls, context));
    const call = SLUICE[told.method] as (...given: readonly unknown[]) => Promise<unknown>;
    return Response.json(await call(...told.given));
  },
} satisfies ExportedHandler<CallerEnv>;
