import { createHash } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { governed } from "../support/governed.ts";
import { providerThat } from "../support/hostile-provider.ts";
import { proxyWorkers } from "../support/runtimes.ts";

/** Streams that come as fast as they are taken, tens of megabytes of them. */

const workerBefore = proxyWorkers();

const MB = 1_000_000;
const CHAT = "/openai/v1/chat/completions";
const asked = JSON.stringify({
  model: "gpt-4o-mini",
  max_tokens: 1000,
  stream: true,
  stream_options: { include_usage: true },
  messages: [{ role: "user", content: "hi" }],
});

const event = (text: string) => `data: ${JSON.stringify({ choices: [{ delta: { content: text } }] })}\n\n`;
const MANY = Array.from({ length: 4000 }, (_, at) => event(`${at} é`)).join("");
const USAGE = { prompt_tokens: 5, completion_tokens: 7 };
const END = `data: ${JSON.stringify({ choices: [], usage: USAGE })}\n\ndata: [DONE]\n\n`;

/** What passed at one end. */
class Passed {
  bytes = 0;
  readonly #hash = createHash("sha256");
  #digest: string | null = null;

  add(bytes: Uint8Array): Uint8Array {
    this.bytes += bytes.byteLength;
    this.#hash.update(bytes);
    return bytes;
  }

  get digest(): string {
    return (this.#digest ??= this.#hash.digest("hex"));
  }
}

/** A provider that sends so many bytes to the last caller, and little to those before. No part is like another. */
async function fastProvider(least: number, callsBefore = 0) {
  const sent = new Passed();
  let calls = 0;
  const stream = async (response: ServerResponse): Promise<void> => {
    for (let part = 0; sent.bytes < least; part += 1) {
      const isRoom = response.write(sent.add(Buffer.from(event(`part ${part}`) + MANY)));
      if (!isRoom) await Promise.race([once(response, "drain"), once(response, "close")]);
    }
    response.end(sent.add(Buffer.from(END)));
  };
  const { url } = await providerThat((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    calls += 1;
    if (calls <= callsBefore) response.end(MANY + END);
    else void stream(response);
  });
  return { url, sent };
}

/** Reads an answer to its end, with a pause after each megabyte. */
async function readAll(answer: IncomingMessage, got: Passed, pauseMs: number): Promise<void> {
  let pausedAt = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    got.add(chunk);
    if (pauseMs === 0 || got.bytes < pausedAt + MB) continue;
    pausedAt = got.bytes;
    await sleep(pauseMs);
  }
}

const READERS = [
  ["fast", 0],
  ["slow", 20],
] as const;

test.each(READERS)(
  "a %s reader gets every byte through the proxy, and the call is settled",
  async (_, pauseMs) => {
    const org = await governed();
    const { url, sent } = await fastProvider(40 * MB);
    const headers = { authorization: `Bearer ${org.key}`, "content-type": "application/json" };
    const call = request((await workerBefore(url)) + CHAT, { method: "POST", headers }).end(asked);
    const [answer] = (await once(call, "response")) as [IncomingMessage];
    const got = new Passed();
    await readAll(answer, got, pauseMs);
    expect([got.bytes, got.digest]).toEqual([sent.bytes, sent.digest]);
    expect((await org.runs(1))[0]).toMatchObject({
      // Its usage is less than so much text can have.
      usage: { input_tokens: 5, output_tokens: 1000 },
      outcome: "completed",
      estimated: true,
    });
  },
);
