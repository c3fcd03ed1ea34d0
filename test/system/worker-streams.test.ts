import type { ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { governed } from "../support/governed.ts";
import { providerThat } from "../support/hostile-provider.ts";
import { proxyWorkers } from "../support/runtimes.ts";

/** Streams through the proxy as a Worker, in the real runtime. */

const CHAT = "/openai/v1/chat/completions";
const EVENT = `data: ${JSON.stringify({ choices: [{ delta: { content: "go" } }] })}\n\n`;
const USAGE = { prompt_tokens: 5, completion_tokens: 7 };
const END = `data: ${JSON.stringify({ choices: [], usage: USAGE })}\n\ndata: [DONE]\n\n`;
const STREAM = { "content-type": "text/event-stream" };

const workerBefore = proxyWorkers();

const asked = (stream: boolean): string =>
  JSON.stringify({
    model: "gpt-4o-mini",
    max_tokens: 1000,
    stream,
    ...(stream ? { stream_options: { include_usage: true } } : {}),
    messages: [{ role: "user", content: "hi" }],
  });

function send(
  url: string,
  key: string,
  { stream = true, signal }: { stream?: boolean; signal?: AbortSignal } = {},
) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return fetch(url + CHAT, { method: "POST", headers, body: asked(stream), signal: signal ?? null });
}

/** Writes events until the connection ends. */
function goOn(response: ServerResponse): void {
  const timer = setInterval(() => response.write(EVENT), 10);
  response.once("close", () => clearInterval(timer));
}

test("each piece reaches the caller before the next is sent, and the usage at the end settles the call", async () => {
  const org = await governed();
  const open: ServerResponse[] = [];
  const { url } = await providerThat((_, response) => {
    response.writeHead(200, STREAM).write(EVENT);
    open.push(response);
  });
  const answer = await send(await workerBefore(url), org.key);
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of answer.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text === EVENT || text === EVENT + EVENT) open[0]?.write(EVENT);
    else if (text === EVENT + EVENT + EVENT) open[0]?.end(END);
  }
  expect(text).toBe(EVENT + EVENT + EVENT + END);
  expect((await org.runs(1))[0]).toMatchObject({
    usage: { input_tokens: 5, output_tokens: 7 },
    outcome: "completed",
    estimated: false,
  });
});

test("a caller that leaves ends the stream at the provider, and pays for what passed", async () => {
  const org = await governed();
  let hasClosed = false;
  const { url } = await providerThat((_, response) => {
    response.once("close", () => (hasClosed = true));
    goOn(response.writeHead(200, STREAM));
  });
  const stop = new AbortController();
  const answer = await send(await workerBefore(url), org.key, { signal: stop.signal });
  let bytes = 0;
  const reading = (async () => {
    for await (const chunk of answer.body ?? []) {
      bytes += chunk.byteLength;
      if (bytes >= 30 * EVENT.length) stop.abort();
    }
  })();
  await expect(reading).rejects.toThrow();
  await expect.poll(() => hasClosed).toBe(true);
  const [run] = await org.runs(1);
  expect(run).toMatchObject({ outcome: "cancelled", estimated: true });
  expect(run?.["usage"].output_tokens).toBeGreaterThanOrEqual(30);
});

test("a stream that the provider breaks off is settled by what came", async () => {
  const org = await governed();
  const { url } = await providerThat((_, response) => {
    response.writeHead(200, STREAM).write(EVENT);
    response.write(EVENT, () => void sleep(50).then(() => response.destroy()));
  });
  const answer = await send(await workerBefore(url), org.key);
  // The runtime may end it for the caller with an error, or as if it were complete.
  const text = await answer.text().catch(() => "");
  expect(text).not.toContain("[DONE]");
  expect((await org.runs(1))[0]).toMatchObject({
    outcome: "failed",
    estimated: true,
    usage: { output_tokens: 6 },
  });
});

test("a caller that reads slowly slows the provider down, and is settled when it leaves", async () => {
  const org = await governed();
  const MOST_BYTES = 100_000_000;
  let sent = 0;
  let hasClosed = false;
  const { url } = await providerThat((_, response) => {
    const many = Buffer.from(EVENT.repeat(300));
    const write = (): void => {
      for (let isRoom = !hasClosed; isRoom && sent < MOST_BYTES; sent += many.length) {
        isRoom = response.write(many);
      }
    };
    response.on("drain", write).once("close", () => (hasClosed = true));
    response.writeHead(200, STREAM);
    write();
  });
  const { hostname, port } = new URL(await workerBefore(url));
  const caller: Socket = connect(Number(port), hostname);
  onTestFinished(() => void caller.destroy());
  caller.on("error", () => undefined).pause();
  const body = asked(true);
  caller.write(
    [
      `POST ${CHAT} HTTP/1.1`,
      `host: ${hostname}`,
      `authorization: Bearer ${org.key}`,
      "content-type: application/json",
      `content-length: ${body.length}`,
      "",
      body,
    ].join("\r\n"),
  );
  let before = 0;
  const hasStopped = (): boolean => {
    const isSame = sent > 0 && sent === before;
    before = sent;
    return isSame;
  };
  await expect.poll(hasStopped, { interval: 500 }).toBe(true);
  expect(sent).toBeLessThan(MOST_BYTES / 2);
  caller.destroy();
  await expect.poll(() => hasClosed).toBe(true);
  expect((await org.runs(1))[0]).toMatchObject({ outcome: "cancelled", estimated: true });
});

test("an answer whose usage comes last is read to its end, also if its caller leaves", async () => {
  const org = await governed();
  const begin = `{"choices":[],"padding":"${"x".repeat(200_000)}"`;
  const open: ServerResponse[] = [];
  const { url } = await providerThat((_, response) => {
    response.writeHead(200, { "content-type": "application/json" }).write(begin);
    open.push(response);
  });
  const stop = new AbortController();
  const worker = await workerBefore(url);
  const answer = await send(worker, org.key, { stream: false, signal: stop.signal });
  await answer.body?.getReader().read();
  stop.abort();
  open[0]?.end(`,"usage":${JSON.stringify(USAGE)}}`);
  expect((await org.runs(1))[0]).toMatchObject({
    usage: { input_tokens: 5, output_tokens: 7 },
    estimated: false,
  });
});
