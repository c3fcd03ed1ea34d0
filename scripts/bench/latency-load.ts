import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { HOST } from "../ports.ts";
import type { LatencyLoad, Waits } from "./latency-waits.ts";

/**
 * Callers and the model that they reach through a proxy, in one process on the other core, so that one clock tells when the
 * model wrote each piece of a stream and when its caller got it. What is between is the proxy's.
 */

/** When the model got a request, and wrote each piece of its answer. */
interface Written {
  gotAt: number;
  readonly pieces: number[];
  endedAt: number;
}

const written = new Map<number, Written>();
const REQUEST = /call-(\d+)\./;
const PIECE = /\{(\d+)\/(\d+)\}/g;
const USAGE = { prompt_tokens: 12, completion_tokens: 20, total_tokens: 32 };
const HEADERS_END = Buffer.from("\r\n\r\n");
const LAST_CHUNK = Buffer.from("0\r\n\r\n");

let pace: Pick<LatencyLoad, "pieces" | "everyMs"> = { pieces: 1, everyMs: 1 };
let calls = 0;

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const call = Number(REQUEST.exec(await text(request))?.[1]);
  const own: Written = { gotAt: performance.now(), pieces: [], endedAt: 0 };
  written.set(call, own);
  response.setHeader("content-type", "text/event-stream");
  const { pieces, everyMs } = pace;
  const timer = setInterval(() => {
    if (own.pieces.length < pieces && !response.destroyed) {
      const content = `word {${call}/${own.pieces.length}} `;
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`);
      own.pieces.push(performance.now());
      return;
    }
    clearInterval(timer);
    response.end(`data: ${JSON.stringify({ choices: [], usage: USAGE })}\n\ndata: [DONE]\n\n`);
    own.endedAt = performance.now();
  }, everyMs);
}

const streamMsOf = ({ pieces, everyMs }: LatencyLoad): number => (pieces + 1) * everyMs;

function requestOf({ port, path, headers }: LatencyLoad, call: number): string {
  const body = JSON.stringify({
    model: "m1",
    stream: true,
    max_tokens: 64,
    messages: [{ role: "user", content: `call-${call}. ${"Hello there. ".repeat(12)}` }],
  });
  const lines = [
    `POST ${path} HTTP/1.1`,
    `host: ${HOST}:${port}`,
    "content-type: application/json",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

/**
 * One call after another on one connection, until the time is up. After each, a caller pauses for up to a quarter of a stream's
 * time: callers who do not would fall into step, and all wait for one another.
 */
function caller(load: LatencyLoad, endsAt: number, waits: Waits): Promise<void> {
  return new Promise((resolve, reject) => {
    let [call, sentAt, firstAt] = [0, 0, 0];
    let seen = Buffer.alloc(0);
    const socket = connect({ host: HOST, port: load.port, noDelay: true }, send);
    function send(): void {
      if (performance.now() >= endsAt) {
        socket.end();
        resolve();
        return;
      }
      call = calls += 1;
      [seen, firstAt, sentAt] = [Buffer.alloc(0), 0, performance.now()];
      socket.write(requestOf(load, call));
    }
    socket.on("data", (chunk) => {
      const now = performance.now();
      seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk]);
      const head = seen.indexOf(HEADERS_END);
      if (head < 0) return;
      if (!seen.subarray(0, 12).toString("latin1").endsWith("200")) {
        reject(new Error(seen.toString("utf8").slice(0, 400)));
        socket.destroy();
        return;
      }
      const own = written.get(call);
      if (own === undefined) return;
      for (const [, of, piece] of chunk.toString("latin1").matchAll(PIECE)) {
        if (Number(of) === call) waits.pieceMs.push(now - (own.pieces[Number(piece)] ?? now));
      }
      // The headers may end like a body does.
      if (seen.length === head + HEADERS_END.length) return;
      if (firstAt === 0) {
        firstAt = now;
        waits.firstMs.push(now - sentAt - ((own.pieces[0] ?? now) - own.gotAt));
      }
      if (!seen.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)) return;
      waits.lastMs.push(now - sentAt - (own.endedAt - own.gotAt));
      written.delete(call);
      setTimeout(send, (Math.random() * streamMsOf(load)) / 4);
    });
    socket.on("error", reject);
    socket.on("close", () => resolve());
  });
}

async function drive(load: LatencyLoad): Promise<Waits> {
  pace = load;
  const waits: Waits = { firstMs: [], lastMs: [], pieceMs: [] };
  const began = performance.now();
  // Callers come one after another, not all at once.
  const callers = Array.from({ length: load.connections }, async (_, at) => {
    await new Promise((resolve) => setTimeout(resolve, (at * streamMsOf(load)) / load.connections));
    await caller(load, began + load.durationMs, waits);
  });
  await Promise.all(callers);
  return waits;
}

// Longer than a runtime keeps a connection: a busy one hears too late that it has ended, and loses the call that goes over it.
const model = createServer(
  { keepAliveTimeout: 60_000 },
  (request, response) => void answer(request, response),
);
model.listen(Number(process.argv[2]), HOST, () => process.send?.("ready"));
process.on("message", (load: LatencyLoad) => {
  drive(load).then(
    (waits) => process.send?.(waits),
    (error: Error) => process.send?.({ failure: error.message }),
  );
});
