import { describe, expect, onTestFinished, test, vi } from "vitest";
import { BodyMemory, type HeldBody, readWithin } from "../../src/proxy/request-body.ts";
import type { WireRefusal } from "../../src/providers/wire-refusal.ts";

const KIB = 1024;

interface Given {
  readonly chunks: readonly number[];
  readonly memory?: BodyMemory;
  readonly mostBytes?: number;
  readonly prove?: () => Promise<void>;
  readonly contentLength?: number;
  /** What follows the chunks. Default: the end. */
  readonly ends?: "never" | "broken";
}

function read({ chunks, ends, contentLength, ...bounds }: Given): Promise<HeldBody | WireRefusal> {
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const size = chunks[at];
      at += 1;
      if (size !== undefined) controller.enqueue(new Uint8Array(size));
      else if (ends === "broken") controller.error(new Error("broken off"));
      else if (ends === undefined) controller.close();
    },
  });
  const headers = contentLength === undefined ? {} : { "content-length": String(contentLength) };
  const init = { method: "POST", body, headers, duplex: "half" } as RequestInit;
  return readWithin(new Request("http://proxy.test", init), {
    mostBytes: 1024 * KIB,
    timeoutMs: 1000,
    memory: new BodyMemory(1024 * KIB),
    prove: async () => undefined,
    ...bounds,
  });
}

describe("a body", () => {
  test("of more than 64 KiB is read once its key is proven, and a smaller one before", async () => {
    let proofs = 0;
    const prove = async () => void (proofs += 1);
    expect(await read({ chunks: [32 * KIB, 32 * KIB], prove })).toMatchObject({
      bytes: { byteLength: 64 * KIB },
    });
    expect(proofs).toBe(0);
    await read({ chunks: [64 * KIB, 1], prove });
    expect(proofs).toBe(1);
    const memory = new BodyMemory(100 * KIB);
    const refused = read({ chunks: [64 * KIB, 1], memory, prove: () => Promise.reject(new Error("no key")) });
    await expect(refused).rejects.toThrow("no key");
    expect(memory.take(100 * KIB)).toBe(true);
  });

  test("that is too large is refused, by its length or by its bytes, and leaves no memory taken", async () => {
    const memory = new BodyMemory(100);
    expect(await read({ chunks: [], contentLength: 101, mostBytes: 100 })).toMatchObject({ status: 413 });
    expect(await read({ chunks: [60, 60], mostBytes: 100, memory })).toMatchObject({ status: 413 });
    expect(memory.take(100)).toBe(true);
  });

  test("that fits into no memory gets 503 with a time to come again, and one that is released makes room", async () => {
    const memory = new BodyMemory(100);
    const held = (await read({ chunks: [40, 30], memory })) as HeldBody;
    expect(await read({ chunks: [20, 20], memory })).toMatchObject({ status: 503, retryAfterMs: 1000 });
    held.release();
    held.release();
    expect(await read({ chunks: [100], memory })).toHaveProperty("bytes");
    expect(memory.take(1)).toBe(false);
  });

  test.each([
    ["breaks off", "broken"],
    ["does not end in time", "never"],
  ] as const)("that %s gets 400, and leaves no memory taken", async (_, ends) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const memory = new BodyMemory(100);
    const reading = read({ chunks: [50], memory, ends });
    await vi.advanceTimersByTimeAsync(1001);
    expect(await reading).toMatchObject({ status: 400, code: "bad_request" });
    expect(memory.take(100)).toBe(true);
  });
});
