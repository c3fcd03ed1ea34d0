import { begin } from "../../src/adapters/governed-call.ts";
import { settledBody, USUAL_LEAVE } from "../../src/adapters/settled-body.ts";
import { openAiChat } from "../../src/providers/apis/openai-chat.ts";
import { PLAIN } from "../../src/providers/apis/request-members.ts";
import { meter, meteringFrom } from "../../src/providers/metering.ts";
import { factsOf } from "../../src/providers/model-facts.ts";
import { answerReader, isEventStream } from "../../src/providers/usage/reading.ts";
import { createGate, type EmbeddedGate, type GateBinding } from "../../src/client/gate/index.ts";

/** A proxy before a model: as it is, copying each piece, and governed in three ways. What it is comes from `MODE`; everything else is the same. */

interface ProxyEnv {
  readonly MODE: "plain" | "copying" | "embedded" | "rpc" | "http";
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

/** What the proxy reads of such a call. */
const METERED = meter(
  {
    ...PLAIN,
    model: ASK.model,
    isStream: true,
    inputTokens: 100,
    outputBound: { perAnswer: 1000, usualPerAnswer: null, answers: 1 },
  },
  factsOf([], ASK.model),
  meteringFrom({}),
);

interface Governed {
  readonly key: string;
  readonly context: ExecutionContext;
  readonly request: Request;
  readonly model: () => Promise<Response>;
}

/** Reads each piece and writes it on: the least that a proxy has to do that looks at what it streams. */
async function copying(model: () => Promise<Response>): Promise<Response> {
  const answer = await model();
  const reader = answer.body?.getReader();
  const readable = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = await reader?.read();
        if (piece?.value === undefined) controller.close();
        else controller.enqueue(piece.value);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(readable, answer);
}

/** Passes the answer on as the governed proxy does, with its own code: a short one at once, a stream as it comes. */
async function embedded(env: ProxyEnv, { key, context, request, model }: Governed): Promise<Response> {
  const { SLUICE: binding, SLUICE_URL: url } = env;
  gate ??= createGate(binding === undefined ? { url, key } : { binding, key });
  const waitUntil = (work: Promise<unknown>) => context.waitUntil(work);
  const call = await begin({ gate, ask: { ...ASK, on_expiry: "release" }, metered: METERED, waitUntil });
  waitUntil(call.ended);
  const answer = await model();
  const { body, headers } = answer;
  const reader = answerReader(openAiChat, headers.get("content-type"));
  if (body !== null && isEventStream(headers.get("content-type"))) {
    const stream = settledBody(body, { call, reader, leave: USUAL_LEAVE, stop: () => undefined });
    request.signal.addEventListener("abort", () => void stream.leave(), { once: true });
    return new Response(stream.readable, answer);
  }
  const bytes = await answer.arrayBuffer();
  reader.push(new Uint8Array(bytes));
  call.finish(reader.reading);
  return new Response(bytes, answer);
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
    if (env.MODE === "copying") return copying(model);
    if (env.MODE === "rpc") return overRpc(env, governed);
    return env.MODE === "http" ? overHttp(env, governed) : model();
  },
} satisfies ExportedHandler<ProxyEnv>;
