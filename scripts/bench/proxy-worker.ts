import { createGate, type EmbeddedGate, type GateBinding } from "../../src/client/gate/index.ts";

/** A proxy before a model: as it is, and governed in three ways. What it is comes from `MODE`; everything else is the same. */

interface ProxyEnv {
  readonly MODE: "plain" | "embedded" | "rpc" | "http";
  readonly MODEL_URL: string;
  readonly SLUICE_URL: string;
  readonly SLUICE: GateBinding;
}

interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
}

const ASK = {
  model: "acme/m1",
  customer_id: "cus_0000000001",
  estimate: { cost_usd: "0.001250" },
};

let gate: EmbeddedGate | undefined;

/** The usage is at the end of an answer, streamed or not. */
const USAGE = /"usage":(\{[^}]*\})/;
const decoder = new TextDecoder();

function usageIn(text: string): Usage {
  return JSON.parse(USAGE.exec(text)?.[1] ?? '{"prompt_tokens":0,"completion_tokens":0}') as Usage;
}

function runOf({ prompt_tokens, completion_tokens }: Usage) {
  const usage = { input_tokens: prompt_tokens, output_tokens: completion_tokens };
  return { model: ASK.model, usage, cost_usd: "0.001" };
}

interface Governed {
  readonly key: string;
  readonly context: ExecutionContext;
  readonly model: () => Promise<Response>;
}

type Settle = (usage: Usage) => void;

/** Passes the body on as it comes. Its last piece is kept, because the usage is in it. */
function watched({ body, headers, status }: Response, settle: Settle): Response {
  if (body === null) return new Response(null, { status, headers });
  let last: Uint8Array | undefined;
  const watching = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      last = piece;
      controller.enqueue(piece);
    },
    flush: () => settle(usageIn(decoder.decode(last))),
  });
  return new Response(body.pipeThrough(watching), { status, headers });
}

async function answered(response: Response, settle: Settle): Promise<Response> {
  if (response.headers.get("content-type") === "text/event-stream") return watched(response, settle);
  const text = await response.text();
  settle(usageIn(text));
  return new Response(text, response);
}

async function embedded({ SLUICE: binding }: ProxyEnv, { key, context, model }: Governed): Promise<Response> {
  gate ??= createGate({ binding, key });
  const waitUntil = (work: Promise<unknown>) => context.waitUntil(work);
  const allowed = await gate.decide(ASK, { waitUntil });
  const governed = gate;
  return answered(await model(), (usage) => governed.settle(allowed, runOf(usage), { waitUntil }));
}

async function overRpc({ SLUICE }: ProxyEnv, { key, model }: Governed): Promise<Response> {
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
    const governed = { key: request.headers.get("x-key") ?? "", context, model };
    if (env.MODE === "embedded") return embedded(env, governed);
    if (env.MODE === "rpc") return overRpc(env, governed);
    return env.MODE === "http" ? overHttp(env, governed) : model();
  },
} satisfies ExportedHandler<ProxyEnv>;
