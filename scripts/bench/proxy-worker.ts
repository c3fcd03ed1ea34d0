import { observed } from "../../src/adapters/observed-body.ts";
import type { Usage } from "../../src/adapters/usage/provider-usage.ts";
import { isEventStream, readingOf, usageReader } from "../../src/adapters/usage/reading.ts";
import { createGate, type EmbeddedGate, type GateBinding } from "../../src/client/gate/index.ts";

/** A proxy before a model: as it is, and governed in three ways. What it is comes from `MODE`; everything else is the same. */

interface ProxyEnv {
  readonly MODE: "plain" | "embedded" | "rpc" | "http";
  readonly MODEL_URL: string;
  readonly SLUICE_URL: string;
  /** Absent: the service runs elsewhere, at its URL. */
  readonly SLUICE?: GateBinding;
}

const ASK = {
  model: "acme/m1",
  customer_id: "cus_0000000001",
  estimate: { cost_usd: "0.001250" },
};

let gate: EmbeddedGate | undefined;

const NOTHING: Usage = { input_tokens: 0, output_tokens: 0 };

function runOf(usage: Usage) {
  return { model: ASK.model, usage, cost_usd: "0.001" };
}

interface Governed {
  readonly key: string;
  readonly context: ExecutionContext;
  readonly request: Request;
  readonly model: () => Promise<Response>;
}

type Settle = (usage: Usage) => void;

/** Passes the answer on as the governed proxy does, with its own code: a short one at once, a stream as it comes. */
async function watched(answer: Response, { context, request }: Governed, settle: Settle): Promise<Response> {
  const { body, headers } = answer;
  if (body === null) return answer;
  if (!isEventStream(headers.get("content-type"))) {
    const bytes = await answer.arrayBuffer();
    settle(readingOf(new Uint8Array(bytes)).usage ?? NOTHING);
    return new Response(bytes, answer);
  }
  const reader = usageReader(headers.get("content-type"));
  const { promise, resolve } = Promise.withResolvers<void>();
  context.waitUntil(promise);
  const settled = () => {
    settle(reader.reading.usage ?? NOTHING);
    resolve();
  };
  const observer = {
    chunk: (chunk: Uint8Array) => reader.push(chunk),
    end: settled,
    error: settled,
    cancel: settled,
  };
  const stream = observed(body, observer, { isNative: true });
  request.signal.addEventListener("abort", () => void stream.leave(), { once: true });
  return new Response(stream.readable, answer);
}

async function embedded(env: ProxyEnv, governing: Governed): Promise<Response> {
  const { key, context, model } = governing;
  const { SLUICE: binding, SLUICE_URL: url } = env;
  gate ??= createGate(binding === undefined ? { url, key } : { binding, key });
  const waitUntil = (work: Promise<unknown>) => context.waitUntil(work);
  const allowed = await gate.decide(ASK, { waitUntil });
  const governed = gate;
  return watched(await model(), governing, (usage) => governed.settle(allowed, runOf(usage), { waitUntil }));
}

async function overRpc({ SLUICE }: ProxyEnv, { key, model }: Governed): Promise<Response> {
  if (SLUICE === undefined) throw new Error("this proxy has no binding");
  const { status, text } = await SLUICE.decide(key, ASK);
  return status === 200 ? model() : new Response(text, { status });
}

async function overHttp({ SLUICE_URL: url }: ProxyEnv, { key, model }: Governed): Promise<Response> {
  const verdict = await fetch(`${url}/v1/edge/decision`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(ASK),
  });
  const text = await verdict.text();
  return verdict.status === 200 ? model() : new Response(text, verdict);
}

export default {
  async fetch(request, env, context) {
    const { pathname } = new URL(request.url);
    const model = () => fetch(env.MODEL_URL + pathname, request);
    const governed = { key: request.headers.get("x-key") ?? "", context, request, model };
    if (env.MODE === "embedded") return embedded(env, governed);
    if (env.MODE === "rpc") return overRpc(env, governed);
    return env.MODE === "http" ? overHttp(env, governed) : model();
  },
} satisfies ExportedHandler<ProxyEnv>;
