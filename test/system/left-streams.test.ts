import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answerTo } from "../../scripts/stand-in/answers.ts";
import { governedFetch } from "../../src/adapters/fetch.ts";
import { billOf, nanosOf } from "../support/billing.ts";
import { type Governed, governed, PROVIDER_KEY, type Recorded } from "../support/governed.ts";
import { proxyBefore } from "../support/hostile-provider.ts";
import { LASTING } from "../support/lasting.ts";
import { proxyWorkers } from "../support/runtimes.ts";

/** A caller that leaves a stream pays for what the provider bills, after whichever event it goes. */

const WORDS = 4;
const prompt = `Say ${WORDS} words.`;
const messages = [{ role: "user", content: prompt }];
const STREAMS = [
  {
    api: "chat",
    path: "/v1/chat/completions",
    provider: "openai",
    model: "gpt-4o-mini",
    asked: { messages, max_completion_tokens: 100, stream_options: { include_usage: true } },
  },
  {
    api: "responses",
    path: "/v1/responses",
    provider: "openai",
    model: "gpt-4o-mini",
    asked: { input: prompt, max_output_tokens: 100 },
  },
  {
    api: "messages",
    path: "/v1/messages",
    provider: "anthropic",
    model: "claude-sonnet-4-5",
    asked: { messages, max_tokens: 100 },
  },
] as const;
type Stream = (typeof STREAMS)[number];

const bodyOf = ({ model, asked }: Stream): string => JSON.stringify({ model, stream: true, ...asked });

function piecesOf(path: string, body: string) {
  const { pieces, served } = answerTo({ method: "POST", path, key: "", expectedKey: "", body });
  return { pieces: [...(pieces ?? [])], input: served?.inputTokens ?? 0 };
}

const piecesIn = (stream: Stream): number => piecesOf(stream.path, bodyOf(stream)).pieces.length;

/** What becomes of a stream that was left: the provider goes on to its end, or falls silent until it is stopped. */
type AfterLeaving = "goes on" | "falls silent";

/** Sends so many events, and the others once its caller has left. It bills what it sent, and all of the input. */
class SteppedProvider {
  events = 0;
  after: AfterLeaving = "falls silent";
  billed = 0n;
  #goOn: () => void = () => undefined;
  readonly #server = createServer(LASTING, (call, response) => void this.#serve(call, response));

  async start(): Promise<string> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, "127.0.0.1", resolve);
    });
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  callerHasLeft(): void {
    if (this.after === "goes on") this.#goOn();
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #serve(call: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of call as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const { model } = JSON.parse(body) as { model: string };
    const { pieces, input } = piecesOf(call.url ?? "", body);
    this.billed = billOf(model, { input, output: 0 });
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    const send = (list: typeof pieces) => {
      for (const { text, tokens } of list) {
        response.write(text);
        this.billed += billOf(model, { input: 0, output: tokens });
      }
    };
    const left = new Promise<void>((resolve) => (this.#goOn = resolve));
    send(pieces.slice(0, this.events));
    await left;
    send(pieces.slice(this.events));
    response.end();
  }
}

const provider = new SteppedProvider();
const GRACES = { "goes on": 60_000, "falls silent": 20 } as const;
const workerOf = {
  "goes on": proxyWorkers({ PROXY_LEAVE_GRACE_MS: String(GRACES["goes on"]) }),
  "falls silent": proxyWorkers({ PROXY_LEAVE_GRACE_MS: String(GRACES["falls silent"]) }),
} as const;
let url = "";
const workers = { "goes on": "", "falls silent": "" };

beforeAll(async () => {
  url = await provider.start();
  for (const after of ["goes on", "falls silent"] as const) workers[after] = await workerOf[after](url);
});
afterAll(() => provider.close());

interface Left {
  readonly org: Governed;
  readonly stream: Stream;
  readonly after: AfterLeaving;
  /** By which the run of the call is found. */
  readonly name: string;
  readonly signal: AbortSignal;
}

const headersOf = (key: string, name: string) => ({
  authorization: `Bearer ${key}`,
  "content-type": "application/json",
  "x-sluice-workflow-id": name,
});

/** A caller that leaves resets its connection. The runtime reports one that is only closed when the next piece is sent. */
async function overSocket(
  to: string,
  { headers, body, signal }: { headers: Record<string, string>; body: string; signal: AbortSignal },
): Promise<Response> {
  const call = request(to, { method: "POST", headers, agent: false }).end(body);
  call.on("error", () => undefined);
  signal.addEventListener("abort", () => call.socket?.resetAndDestroy());
  const [answer] = (await once(call, "response")) as [IncomingMessage];
  answer.on("error", () => undefined);
  return new Response(Readable.toWeb(answer) as ReadableStream<Uint8Array>);
}

const WAYS: Readonly<Record<string, (left: Left) => Promise<Response>>> = {
  "the proxy in workerd": ({ org, stream, after, name, signal }) =>
    overSocket(`${workers[after]}/${stream.provider}${stream.path}`, {
      headers: headersOf(org.key, name),
      body: bodyOf(stream),
      signal,
    }),
  "the proxy in Node": ({ org, stream, after, name, signal }) =>
    proxyBefore(url, { leaveGraceMs: GRACES[after] })(`/${stream.provider}${stream.path}`, {
      headers: headersOf(org.key, name),
      body: bodyOf(stream),
      signal,
    }),
  governedFetch: ({ org, stream, after, name, signal }) =>
    governedFetch({
      gate: org.gate,
      provider: stream.provider,
      ask: { workflow_id: name },
      leaveGraceMs: GRACES[after],
    })(url + stream.path, {
      method: "POST",
      headers: { authorization: `Bearer ${PROVIDER_KEY}` },
      body: bodyOf(stream),
      signal,
    }),
};

/** Reads so many events and goes. */
async function readAndLeave(answer: Response, events: number, leave: () => void): Promise<void> {
  const reader = answer.body?.getReader();
  const decoder = new TextDecoder();
  for (let text = ""; text.split("\n\n").length <= events;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  leave();
}

describe.each(Object.entries(WAYS))("%s", (_, send) => {
  describe.each(["goes on", "falls silent"] as const)("with a provider that %s", (after) => {
    test.each(STREAMS)("$api", async (stream) => {
      const org = await governed();
      const bills = new Map<string, bigint>();
      for (let events = 0; events <= piecesIn(stream); events += 1) {
        const name = `${stream.api}-${events}`;
        const caller = new AbortController();
        Object.assign(provider, { events, after });
        const answer = await send({ org, stream, after, name, signal: caller.signal });
        await readAndLeave(answer, events, () => caller.abort());
        provider.callerHasLeft();
        await org.runs(events + 1);
        bills.set(name, provider.billed);
      }
      const runs = await org.runs(bills.size);
      expect(runs).toHaveLength(bills.size);
      for (const run of runs) expectPaid(run, bills.get(String(run["workflow_id"])) ?? -1n, after);
      await expect.poll(org.reserved).toBe("0.00");
    });
  });
});

/** A stream whose end was seen costs what is billed. One that was stopped before costs that or more. */
function expectPaid(run: Recorded, billed: bigint, after: AfterLeaving): void {
  const charged = nanosOf(String(run["cost_usd"]));
  expect(billed).toBeGreaterThan(0n);
  if (after === "goes on") expect([run["workflow_id"], charged]).toEqual([run["workflow_id"], billed]);
  else expect([run["workflow_id"], charged >= billed]).toEqual([run["workflow_id"], true]);
}
