import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { HOST } from "../ports.ts";
import { type Answer, answerTo } from "./answers.ts";

/** What the stand-in has served of one call. */
export interface Served {
  readonly path: string;
  readonly model: string;
  readonly inputTokens: number;
  /** Output tokens of the pieces that were sent so far. */
  outputTokens: number;
  /** Null: it goes on. */
  ended: "whole" | "cut" | null;
}

export interface StandIn {
  readonly url: string;
  /** Every call that it answered with 200, in order. */
  readonly served: readonly Served[];
  close(): Promise<void>;
}

export interface StandInOptions {
  /** The key that callers must send, as a bearer, or in the header of its API. */
  readonly key: string;
  readonly port?: number;
  /** Between two pieces of a stream. */
  readonly pauseMs?: number;
}

const MOST_BODY_BYTES = 33_554_432;
/** Of a server that runs for long, only the latest calls are remembered. */
const MOST_SERVED = 10_000;

/**
 * A stand-in for the APIs of OpenAI, of hosts that are compatible with it, of Anthropic, of Gemini and of Bedrock, on this machine:
 * the same paths, shapes, events and usage. What it says means nothing. A message such as "30 words" sets the length of its answer.
 */
export async function startStandIn(options: StandInOptions): Promise<StandIn> {
  const served: Served[] = [];
  // Longer than the proxy keeps a connection, so that none is ended while a call is on its way.
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    respond(request, response, { options, served }).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(options.port ?? 0, HOST, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${HOST}:${port}`,
    served,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  { options, served }: { readonly options: StandInOptions; readonly served: Served[] },
): Promise<void> {
  const body = await bodyOf(request);
  const answer = answerTo({
    method: request.method ?? "GET",
    path: new URL(request.url ?? "/", "http://stand-in").pathname,
    key:
      request.headers.authorization?.replace(/^Bearer /, "") ??
      String(
        request.headers["x-api-key"] ?? request.headers["api-key"] ?? request.headers["x-goog-api-key"] ?? "",
      ),
    expectedKey: options.key,
    body,
  });
  if (answer.served === null) {
    send(response, answer);
    return;
  }
  const record: Served = { ...answer.served, outputTokens: 0, ended: null };
  served.push(record);
  if (served.length > MOST_SERVED) served.shift();
  if (answer.pieces === null) {
    send(response, answer);
    record.outputTokens = answer.outputTokens;
    record.ended = "whole";
  } else await stream(response, answer, { record, pauseMs: options.pauseMs ?? 0 });
}

function send(response: ServerResponse, { status, json }: Answer): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));
}

async function stream(
  response: ServerResponse,
  { pieces, streamType }: Answer,
  { record, pauseMs }: { readonly record: Served; readonly pauseMs: number },
): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  response.writeHead(200, {
    "content-type": streamType,
    "cache-control": "no-cache",
  });
  try {
    for (const { text, tokens } of pieces ?? []) {
      if (pauseMs > 0 && tokens > 0) await sleep(pauseMs, undefined, { signal: gone.signal });
      gone.signal.throwIfAborted();
      record.outputTokens += tokens;
      if (!response.write(text)) await drained(response, gone.signal);
    }
  } catch {
    record.ended = "cut";
    return;
  }
  record.ended = "whole";
  response.end();
}

/** A reader that does not read stops the stream here. */
function drained(response: ServerResponse, gone: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    response.once("drain", resolve);
    gone.addEventListener("abort", () => reject(new Error("the reader is gone")), { once: true });
  });
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > MOST_BODY_BYTES) throw new Error("the body is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
