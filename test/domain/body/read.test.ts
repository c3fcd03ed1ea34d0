import { describe, expect, test } from "vitest";
import { BodyMemory } from "../../../src/domain/body/body-memory.ts";
import { firstBytes, readWhole } from "../../../src/domain/body/read.ts";
import { ManualTimer } from "../../support/manual-timer.ts";

const KIB = 1024;
const OWNER = { org: "a", key: "k" };

/** A body that its test sends, and the outcome of reading it. */
function sending(declared: number | null, { mostBytes = 1024 * KIB, memoryBytes = 4096 * KIB } = {}) {
  const timer = new ManualTimer();
  const memory = new BodyMemory(memoryBytes, { longestHoldMs: 1e9, now: () => timer.now() });
  let sender: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({ start: (controller) => void (sender = controller) });
  const headers: HeadersInit = declared === null ? {} : { "content-length": String(declared) };
  const request = new Request("http://x.test", {
    method: "POST",
    body,
    headers,
    duplex: "half",
  } as RequestInit);
  const hold = memory.hold(OWNER, firstBytes(request));
  if (hold === null) throw new Error("there is no memory");
  const outcome: { is: unknown } = { is: "reading" };
  readWhole(request, { timer, deadlineMs: 60_000, mostBytes, hold }).then(
    (bytes) => (outcome.is = bytes?.byteLength ?? null),
    (error: { reason: string }) => (outcome.is = error.reason),
  );
  const send = (bytes: number) => sender?.enqueue(new Uint8Array(bytes));
  return {
    timer,
    memory,
    hold,
    outcome,
    send,
    end: () => sender?.close(),
    fail: () => sender?.error(new Error("gone")),
  };
}

describe("a body that trickles", () => {
  test.each([
    ["says a short length", 900],
    ["says a long length", 500_000],
    ["says no length", null],
  ])("is given up if it %s and nothing comes", async (_, declared) => {
    const { timer, outcome } = sending(declared);
    await timer.pass(4999);
    expect(outcome.is).toBe("reading");
    await timer.pass(4002);
    expect(outcome.is).toBe("late");
    expect(timer.waiting).toBe(0);
  });

  test("a byte at a time is given up", async () => {
    const { timer, outcome, send } = sending(null);
    for (let second = 0; outcome.is === "reading" && second < 20; second += 1) {
      send(1);
      await timer.pass(1000);
    }
    expect(outcome.is).toBe("late");
  });

  test("at 4 KiB a second is read for as long as the deadline, and no longer", async () => {
    const { timer, outcome, send } = sending(null);
    for (let second = 0; second < 59; second += 1) {
      send(4 * KIB);
      await timer.pass(1000);
    }
    expect(outcome.is).toBe("reading");
    send(4 * KIB);
    await timer.pass(1001);
    expect(outcome.is).toBe("late");
  });

  test("after it came fast is given up, too", async () => {
    const { timer, outcome, send } = sending(null);
    send(512 * KIB);
    await timer.pass(12_990);
    expect(outcome.is).toBe("reading");
    await timer.pass(20);
    expect(outcome.is).toBe("late");
  });
});

test("a body that comes in time is whole, and leaves no timer", async () => {
  for (const declared of [null, 40 * KIB]) {
    const { timer, outcome, send, end, hold, memory } = sending(declared);
    send(30 * KIB);
    await timer.pass(3000);
    send(10 * KIB);
    end();
    await timer.pass(1);
    expect([outcome.is, timer.waiting, memory.bytes]).toEqual([40 * KIB, 0, 40 * KIB]);
    hold.release();
    expect(memory.bytes).toBe(0);
  }
});

test("a body that says its length takes all of it once it is no short one", async () => {
  const { timer, memory, send } = sending(500_000);
  send(16 * KIB);
  await timer.pass(1);
  expect(memory.bytes).toBe(16 * KIB);
  send(1);
  await timer.pass(1);
  expect(memory.bytes).toBe(500_000);
});

test("a body that breaks off is no whole body", async () => {
  const { timer, outcome, send, fail } = sending(null);
  send(10);
  await timer.pass(1);
  fail();
  await timer.pass(1);
  expect(outcome.is).toBe("broken");
});

test("a body for which there is no memory is given up, and the rest of it is read away for two seconds", async () => {
  const { timer, outcome, send } = sending(null, { memoryBytes: 128 * KIB });
  send(64 * KIB);
  await timer.pass(10);
  expect(outcome.is).toBe("reading");
  send(1);
  await timer.pass(1990);
  expect(outcome.is).toBe("reading");
  await timer.pass(20);
  expect(outcome.is).toBe("full");
});

test("a body that is too long is read away for two seconds, by its length or by its bytes", async () => {
  for (const declared of [null, 200]) {
    const { timer, outcome, send, memory } = sending(declared, { mostBytes: 100 });
    send(60);
    send(60);
    await timer.pass(2001);
    expect(outcome.is).toBeNull();
    expect(memory.bytes).toBeLessThanOrEqual(16 * KIB);
  }
});
