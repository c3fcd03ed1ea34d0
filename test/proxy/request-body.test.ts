import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createProxy } from "../../src/proxy/index.ts";
import { type HeldBody, ProxyBodies } from "../../src/proxy/request-body.ts";
import type { WireRefusal } from "../../src/providers/wire-refusal.ts";
import { ManualTimer } from "../support/manual-timer.ts";
import { SMALL_KEY } from "../support/small-service.ts";

const KIB = 1024;

interface Given {
  readonly chunks: readonly number[];
  readonly declared?: number;
  readonly address?: string;
  /** What follows the chunks. Default: the end. */
  readonly ends?: "never" | "broken";
  readonly signal?: AbortSignal;
}

/** A request, and how many bytes of it were read. */
function sending({ chunks, declared, address = "192.0.2.1", ends, signal }: Given) {
  let at = 0;
  const sent = { bytes: 0 };
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        const size = chunks[at];
        at += 1;
        sent.bytes += size ?? 0;
        if (size !== undefined) controller.enqueue(new Uint8Array(size));
        else if (ends === "broken") controller.error(new Error("broken off"));
        else if (ends === undefined) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const headers = new Headers({ "cf-connecting-ip": address });
  if (declared !== undefined) headers.set("content-length", String(declared));
  const init = { method: "POST", body, headers, duplex: "half", signal: signal ?? null } as RequestInit;
  return { request: new Request("http://proxy.test/openai/v1/chat/completions", init), sent };
}

interface Caller {
  readonly org?: string;
  readonly isProven?: boolean;
  readonly prove?: () => Promise<void>;
}

function bodiesWith(options: { mostBodyBytes?: number; mostBodiesBytes?: number } = {}) {
  const timer = new ManualTimer();
  const bodies = new ProxyBodies(
    { orgs: "*", providers: {}, mostBodyBytes: 512 * KIB, mostBodiesBytes: 1024 * KIB, ...options },
    timer,
  );
  const read = (
    given: Given,
    { org = "org_a", isProven = true, prove = async () => undefined }: Caller = {},
  ) => bodies.read(sending(given).request, { orgId: org, keyId: `key_${org}`, isProven, prove });
  return { timer, read };
}

const chunksOf = (bytes: number) => Array<number>(bytes / (16 * KIB)).fill(16 * KIB);
const whole = (read: HeldBody | WireRefusal) => read as HeldBody;

describe("a body", () => {
  test("of more than 16 KiB is read once its key is proven, and a smaller one before", async () => {
    const { read } = bodiesWith();
    const prove = vi.fn<() => Promise<void>>(async () => undefined);
    const first = await read({ chunks: [16 * KIB] }, { isProven: false, prove });
    expect(first).toMatchObject({ bytes: { byteLength: 16 * KIB } });
    expect(prove).not.toHaveBeenCalled();
    const second = await read({ chunks: [16 * KIB, 1] }, { isProven: false, prove });
    expect(second).toMatchObject({ bytes: { byteLength: 16 * KIB + 1 } });
    expect(prove).toHaveBeenCalledOnce();
    const refused = read(
      { chunks: chunksOf(512 * KIB) },
      { isProven: false, prove: () => Promise.reject(new Error("no key")) },
    );
    await expect(refused).rejects.toThrow("no key");
  });

  test("of a key that is proven counts for its org, so that another org's still fits", async () => {
    const { read } = bodiesWith();
    const largest = { chunks: chunksOf(512 * KIB) };
    const held = whole(await read(largest, { isProven: false }));
    expect(await read(largest)).toMatchObject({ status: 503, retryAfterMs: 1000 });
    const other = whole(await read({ chunks: chunksOf(192 * KIB) }, { org: "org_b" }));
    expect(other).toHaveProperty("bytes");
    for (const one of [held, held, other]) one.release();
    expect(await read(largest)).toHaveProperty("bytes");
  });

  test("of a made-up key counts for its address, so that proven keys and other addresses still have room", async () => {
    const { read } = bodiesWith();
    const prove = () => new Promise<never>(() => undefined);
    for (let call = 0; call < 100; call += 1)
      void read({ chunks: chunksOf(64 * KIB) }, { isProven: false, prove });
    expect(await read({ chunks: [1] }, { isProven: false })).toMatchObject({ status: 503 });
    expect(await read({ chunks: [1], address: "192.0.2.2" }, { isProven: false })).toHaveProperty("bytes");
    expect(await read({ chunks: chunksOf(192 * KIB) })).toHaveProperty("bytes");
  });

  test("that is too large is refused, by its length or by its bytes, and leaves no memory taken", async () => {
    const { timer, read } = bodiesWith();
    const tooLarge = [read({ chunks: [1], declared: 512 * KIB + 1 }), read({ chunks: chunksOf(528 * KIB) })];
    await timer.pass(2000);
    for (const one of tooLarge) expect(await one).toMatchObject({ status: 413 });
    expect(await read({ chunks: chunksOf(512 * KIB) })).toHaveProperty("bytes");
  });

  test.each([
    ["breaks off", "broken", 0],
    ["does not end in time", "never", 13_000],
  ] as const)("that %s gets 400, and leaves no memory taken", async (_, ends, waitMs) => {
    const { timer, read } = bodiesWith();
    const reading = read({ chunks: chunksOf(256 * KIB), ends });
    await timer.pass(waitMs);
    expect(await reading).toMatchObject({ status: 400, code: "bad_request" });
    expect(await read({ chunks: chunksOf(512 * KIB) })).toHaveProperty("bytes");
  });

  test("of a caller who has left counts for as long as its call may go on", async () => {
    const { timer, read } = bodiesWith();
    const caller = new AbortController();
    const largest = chunksOf(512 * KIB);
    await read({ chunks: largest, signal: caller.signal });
    caller.abort();
    await timer.pass(29_000);
    expect(await read({ chunks: largest })).toMatchObject({ status: 503 });
    await timer.pass(2000);
    expect(await read({ chunks: largest })).toHaveProperty("bytes");
  });

  test("of the largest size always fits into an empty proxy, or the proxy does not start", () => {
    expect(() => bodiesWith({ mostBodiesBytes: 1023 * KIB })).toThrow("at least twice");
  });
});

test("before a service at an address, no more than a little is read of a body whose key nobody accepts", async () => {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (input: Request | URL | string) => {
    asked.push(new URL(input instanceof Request ? input.url : input).pathname);
    const error = { code: "unauthorized", message: "No.", details: {} };
    return Response.json({ error }, { status: 401 });
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const proxy = createProxy({
    url: "http://sluice.test",
    orgs: "*",
    providers: { openai: { key: "sk-0123456789" } },
  });
  const { request, sent } = sending({ chunks: chunksOf(1024 * KIB) });
  request.headers.set("authorization", `Bearer ${SMALL_KEY}`);
  const answer = await proxy.fetch(request, { waitUntil: () => undefined });
  expect(answer.status).toBe(401);
  expect(asked).toEqual(["/v1/edge/leases"]);
  expect(sent.bytes).toBeLessThanOrEqual(48 * KIB);
});
