import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { answerTo } from "../../scripts/stand-in/answers.ts";
import { billOf } from "./billing.ts";
import { LASTING } from "./lasting.ts";

/** What becomes of a stream that was left: the provider goes on to its end, or falls silent until it is stopped. */
export type AfterLeaving = "goes on" | "falls silent";

export interface Plan {
  /** How many events are sent before the caller leaves. */
  readonly events: number;
  readonly after: AfterLeaving;
}

/** The header by which a call says its name. */
export const NAME = "x-call-name";

/** The events of the stand-in's answer to a body, and the input that it bills. */
export function piecesOf(path: string, body: string) {
  const { pieces, served } = answerTo({ method: "POST", path, key: "", expectedKey: "", body });
  return { pieces: [...(pieces ?? [])], input: served?.inputTokens ?? 0 };
}

/**
 * Streams what the stand-in says. A call that has a plan gets so many events, and the others once its caller has left. It bills
 * what it has sent, and all of the input.
 */
export class SteppedProvider {
  readonly plans = new Map<string, Plan>();
  /** In nano-dollars, by the name of the call. */
  readonly bills = new Map<string, bigint>();
  readonly #open = new Map<string, () => void>();
  readonly #server = createServer(LASTING, (call, response) => {
    this.#serve(call, response).catch(() => response.destroy());
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, "127.0.0.1", resolve);
    });
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  callerHasLeft(name: string): void {
    if (this.plans.get(name)?.after === "goes on") this.#open.get(name)?.();
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
    const name = String(call.headers[NAME]);
    const { pieces, input } = piecesOf(call.url ?? "", body);
    let bill = billOf(model, { input, output: 0 });
    const send = (list: typeof pieces) => {
      for (const { text, tokens } of list) {
        bill += billOf(model, { input: 0, output: tokens });
        this.bills.set(name, bill);
        response.write(text);
      }
    };
    this.bills.set(name, bill);
    const { events = pieces.length } = this.plans.get(name) ?? {};
    const left = new Promise<void>((resolve) => this.#open.set(name, resolve));
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    send(pieces.slice(0, events));
    if (this.plans.has(name)) await left;
    send(pieces.slice(events));
    response.end();
  }
}

/** A caller that leaves resets its connection. The runtime reports one that is only closed when the next piece is sent. */
export async function overSocket(
  to: string,
  { headers, body, signal }: { headers: Record<string, string>; body: string; signal: AbortSignal },
): Promise<Response> {
  const call = request(to, { method: "POST", headers, agent: false }).end(body);
  call.on("error", () => undefined);
  signal.addEventListener("abort", () => call.socket?.resetAndDestroy());
  const [answer] = (await once(call, "response")) as [IncomingMessage];
  answer.on("error", () => undefined);
  const { statusCode: status = 0 } = answer;
  return new Response(Readable.toWeb(answer) as ReadableStream<Uint8Array>, { status });
}

/** Reads so many events and goes. */
export async function readAndLeave(answer: Response, events: number, leave: () => void): Promise<void> {
  const reader = answer.body?.getReader();
  const decoder = new TextDecoder();
  for (let text = ""; text.split("\n\n").length <= events;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  leave();
}
