import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { providerThat } from "../support/hostile-provider.ts";
import { observingWorkers } from "../support/runtimes.ts";

/** Both ways to observe a body, in the real runtime: the same bytes, ends and pressure, whichever passes them on. */

const observerOf = observingWorkers();

interface Seen {
  readonly text: string;
  readonly bytes: number;
  readonly chunks: number;
  readonly ended: string | null;
}

async function seenAt(url: string): Promise<Seen | null> {
  return (await fetch(`${url}/seen`)).json() as Promise<Seen | null>;
}

async function endOf(url: string): Promise<Seen> {
  let seen: Seen | null = null;
  await expect
    .poll(async () => {
      seen = await seenAt(url);
      return seen?.ended;
    })
    .toEqual(expect.any(String));
  return seen as unknown as Seen;
}

/** A source that is open until the test ends it. */
async function openSource(): Promise<{ url: string; response: () => Promise<ServerResponse> }> {
  const { promise, resolve } = Promise.withResolvers<ServerResponse>();
  const { url } = await providerThat((_, response) => {
    response.writeHead(200).write("first;");
    resolve(response);
  });
  return { url, response: () => promise };
}

describe.each(["native", "script"])("a body that is observed, %s", (how) => {
  test("reaches its reader piece by piece, and its observer as a whole", async () => {
    const source = await openSource();
    const url = await observerOf(source.url);
    const answer = await fetch(`${url}/${how}`);
    const response = await source.response();
    const decoder = new TextDecoder();
    let text = "";
    let expected = "first;";
    for await (const chunk of answer.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (text !== expected || response.writableEnded) continue;
      const next = `piece ${expected.length};`;
      expected += next;
      if (expected.length < 1000) response.write(next);
      else response.end(next);
    }
    expect(text).toBe(expected);
    expect(await endOf(url)).toMatchObject({ text: expected, ended: "end" });
  });

  test("is observed as a whole if all of it comes at once, in pieces of any length", async () => {
    const pieces = Array.from({ length: 60 }, (_, at) => `${at};`.repeat(1 + ((at * 997) % 3000)));
    const { url: source } = await providerThat((_, response) => {
      for (const piece of pieces) response.write(piece);
      response.end();
    });
    const url = await observerOf(source);
    const text = await (await fetch(`${url}/${how}`)).text();
    const seen = await endOf(url);
    expect(seen.ended).toBe("end");
    expect(text === pieces.join("")).toBe(true);
    expect(seen.text === text).toBe(true);
  });

  test("breaks off where its source does, with all that came", async () => {
    const source = await openSource();
    const url = await observerOf(source.url);
    const answer = await fetch(`${url}/${how}`);
    const response = await source.response();
    response.write("second;", () => void sleep(50).then(() => response.destroy()));
    // The runtime may end it for its reader with an error, or as if it were complete.
    await answer.text().catch(() => "");
    expect(await endOf(url)).toMatchObject({ text: "first;second;", ended: "error" });
  });

  test("ends at its source when its reader leaves, with all that was read", async () => {
    const source = await openSource();
    const url = await observerOf(source.url);
    const leave = new AbortController();
    // A Worker that has nothing more to do ends, and the source with it. This one has.
    const answer = await fetch(`${url}/${how}${how === "native" ? "?stay" : ""}`, { signal: leave.signal });
    const response = await source.response();
    const timer = setInterval(() => response.write("more;"), 10);
    const closed = new Promise((resolve) => response.once("close", resolve));
    onTestFinished(() => clearInterval(timer));
    let read = "";
    const reading = (async () => {
      for await (const chunk of answer.body ?? []) {
        read += new TextDecoder().decode(chunk);
        if (read.length > 200) leave.abort();
      }
    })();
    await expect(reading).rejects.toThrow();
    const { text, ended } = await endOf(url);
    expect(ended).toBe("cancel");
    expect(text.startsWith(read)).toBe(true);
    await closed;
  });

  test("is read to its end without its reader, if it is to be", async () => {
    const source = await openSource();
    const url = await observerOf(source.url);
    const leave = new AbortController();
    const answer = await fetch(`${url}/${how}?to-end`, { signal: leave.signal });
    await answer.body?.getReader().read();
    leave.abort();
    const response = await source.response();
    const rest = "x".repeat(300_000);
    response.write(rest, () => response.end("last"));
    expect(await endOf(url)).toMatchObject({ text: `first;${rest}last`, ended: "end" });
  });

  test("stops at its source while its reader does not read", async () => {
    const MOST_BYTES = 100_000_000;
    let sent = 0;
    let hasClosed = false;
    const { url: source } = await providerThat((_, response) => {
      const many = Buffer.alloc(20_000, "x");
      const write = (): void => {
        for (let isRoom = !hasClosed; isRoom && sent < MOST_BYTES; sent += many.length)
          isRoom = response.write(many);
      };
      response.on("drain", write).once("close", () => (hasClosed = true));
      write();
    });
    const url = await observerOf(source);
    const { hostname, port } = new URL(url);
    const reader = connect(Number(port), hostname);
    onTestFinished(() => void reader.destroy());
    reader.on("error", () => undefined).pause();
    reader.write(`GET /${how} HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`);
    let before = 0;
    const hasStopped = (): boolean => {
      const isSame = sent > 0 && sent === before;
      before = sent;
      return isSame;
    };
    // Longer than the time between two looks at the copy: a look does not read ahead either.
    await expect.poll(hasStopped, { interval: 2500 }).toBe(true);
    expect(sent).toBeLessThan(MOST_BYTES / 4);
    reader.destroy();
    await expect.poll(() => hasClosed).toBe(true);
    expect((await endOf(url)).ended).toBe("cancel");
  });
});

test("ends at its source with the next piece, where nobody tells that its reader has left", async () => {
  const source = await openSource();
  const url = await observerOf(source.url);
  const leave = new AbortController();
  const answer = await fetch(`${url}/native?stay&deaf`, { signal: leave.signal });
  await answer.body?.getReader().read();
  leave.abort();
  const response = await source.response();
  const timer = setInterval(() => response.write("more;"), 10);
  onTestFinished(() => clearInterval(timer));
  await new Promise((resolve) => response.once("close", resolve));
  expect((await endOf(url)).ended).toBe("cancel");
});

test("a copy is read while its body passes, however much comes at once", async () => {
  const PART_BYTES = 4_000_000;
  const source = await openSource();
  const url = await observerOf(source.url);
  const answer = await fetch(`${url}/native?long`);
  const read = (async () => {
    let bytes = 0;
    for await (const chunk of answer.body ?? []) bytes += chunk.byteLength;
    return bytes;
  })();
  const response = await source.response();
  let sent = "first;".length;
  for (let part = 0; part < 5; part += 1) {
    response.write(Buffer.alloc(PART_BYTES, "x"));
    sent += PART_BYTES;
    // The next part waits until nothing of this one is left in the copy.
    await expect.poll(async () => (await seenAt(url))?.bytes, { timeout: 30_000 }).toBe(sent);
  }
  response.end();
  expect(await read).toBe(sent);
  expect(await endOf(url)).toMatchObject({ bytes: sent, ended: "end" });
});

test("JavaScript sees many pieces at once where the runtime passes them on", async () => {
  const PIECES = 200;
  const { url: source } = await providerThat((_, response) => {
    let left = PIECES;
    const timer = setInterval(() => {
      left -= 1;
      if (left > 0) response.write("a piece of a stream;");
      else response.end();
      if (left === 0) clearInterval(timer);
    }, 2);
  });
  const url = await observerOf(source);
  const text = await (await fetch(`${url}/native`)).text();
  const seen = await endOf(url);
  expect(seen).toMatchObject({ text, ended: "end" });
  expect(seen.chunks).toBeLessThan(PIECES / 10);
});
