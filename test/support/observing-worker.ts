import type { BodyObserver } from "../../src/adapters/body-observer.ts";
import { observed } from "../../src/adapters/observed-body.ts";

/**
 * Relays a source by one of the two mechanisms, and tells what it has seen of the last body that had the same name. With
 * `to-end`, the source is read to its end without its reader; with `long`, its text is not kept; with `stay`, there is work left
 * when all of it was seen; with `deaf`, nobody tells that its reader has left.
 */

interface Env {
  readonly SOURCE_URL: string;
}

interface Seen {
  text: string;
  bytes: number;
  chunks: number;
  ended: string | null;
}

/** Longer than a test waits for anything. */
const STAY_MS = 600_000;

const seen = new Map<string, Seen>();

export default {
  async fetch(request, { SOURCE_URL }, context) {
    const { pathname, searchParams } = new URL(request.url);
    const name = searchParams.get("name") ?? "";
    if (pathname === "/seen") return Response.json(seen.get(name) ?? null);
    const one: Seen = { text: "", bytes: 0, chunks: 0, ended: null };
    seen.set(name, one);
    // A signal that can stop the source, as the proxy has one.
    const stop = new AbortController();
    const { body } = await fetch(SOURCE_URL, { signal: stop.signal });
    if (body === null) return new Response("no body", { status: 502 });
    const decoder = new TextDecoder();
    const { promise: settled, resolve } = Promise.withResolvers<void>();
    context.waitUntil(settled);
    if (searchParams.has("stay")) context.waitUntil(scheduler.wait(STAY_MS));
    const ends = (how: string) => () => {
      one.ended = how;
      resolve();
    };
    const observer: BodyObserver = {
      chunk: (chunk) => {
        one.chunks += 1;
        one.bytes += chunk.byteLength;
        if (!searchParams.has("long")) one.text += decoder.decode(chunk, { stream: true });
      },
      end: ends("end"),
      error: ends("error"),
      cancel: ends("cancel"),
    };
    const stream = observed(body, observer, {
      isReadToEnd: searchParams.has("to-end"),
      isNative: pathname === "/native",
    });
    if (!searchParams.has("deaf")) {
      request.signal.addEventListener("abort", () => void stream.leave().then(() => stop.abort()));
    }
    return new Response(stream.readable);
  },
} satisfies ExportedHandler<Env>;
