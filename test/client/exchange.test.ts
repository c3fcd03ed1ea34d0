import { expect, test, vi } from "vitest";
import { Unreachable } from "../../src/client/index.ts";
import { exchange } from "../../src/client/gate/exchange.ts";
import { Sluice } from "../../src/client/sluice.ts";

const KEY = `svc_live_${"0".repeat(26)}${"1".repeat(26)}_${"s".repeat(49)}`;
const GATE = { holder: "gate-1", timeoutMs: 3000 };
const REPLY = {
  valid_ms: 2000,
  checks: "limits",
  on_expiry: "release",
  ids: [],
  refused: [],
  verdict: null,
  leases: null,
};

/** A network that does these one after another, the last of them forever. */
function over(steps: readonly ((signal: AbortSignal) => Promise<Response>)[]) {
  const bodies: unknown[] = [];
  const sluice = new Sluice({
    key: KEY,
    url: "https://sluice.test",
    timeoutMs: 3000,
    fetch: (_url, { body, signal }) => {
      bodies.push(body);
      const step = steps[bodies.length - 1] ?? steps.at(-1) ?? answered;
      return step(signal ?? AbortSignal.any([]));
    },
  });
  const ask = { estimate: { cost_usd: "0.01" } };
  return { bodies, exchanged: () => exchange(sluice, GATE, { ask, ids: 0 }) };
}

const answered = async () => Response.json(REPLY);
/** As Node says it, and as a Worker does. */
const LOST = [
  ["a TypeError", new TypeError("fetch failed")],
  ["an Error", new Error("Network connection lost.")],
] as const;

test.each(LOST)(
  "an exchange whose connections were lost with %s is sent again, the same",
  async (_, error) => {
    const lost = () => Promise.reject(error);
    const { bodies, exchanged } = over([lost, lost, lost, answered]);
    expect(await exchanged()).toMatchObject({ validMs: 2000 });
    expect(bodies).toHaveLength(4);
    expect(new Set(bodies).size).toBe(1);
    expect(String(bodies[0])).toContain('"request_id":"');
  },
);

test.each(LOST)("an exchange whose every connection is lost with %s is given up", async (_, error) => {
  const { bodies, exchanged } = over([() => Promise.reject(error)]);
  await expect(exchanged()).rejects.toBeInstanceOf(Unreachable);
  expect(bodies).toHaveLength(4);
});

test.each([
  ["a page of somebody else", async () => new Response("bad gateway", { status: 502 })],
  ["a page of somebody else that is no error", async () => new Response("<p>Sign in first</p>")],
  [
    "a refusal",
    async () =>
      Response.json({ error: { code: "service_unavailable", message: "No.", details: {} } }, { status: 503 }),
  ],
])("an exchange that was answered with %s is not sent again", async (_, reply) => {
  const { bodies, exchanged } = over([reply]);
  await expect(exchanged()).rejects.toThrow();
  expect(bodies).toHaveLength(1);
});

test("an exchange that took too long is not sent again: whoever waits for it has waited enough", async () => {
  vi.useFakeTimers();
  try {
    const { bodies, exchanged } = over([
      (signal) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        }),
    ]);
    const failed = exchanged().catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await failed).toBeInstanceOf(Unreachable);
    expect(bodies).toHaveLength(1);
  } finally {
    vi.useRealTimers();
  }
});

test("connections that break late take no more time together than one exchange may", async () => {
  vi.useFakeTimers();
  try {
    const breaksLate = (signal: AbortSignal) =>
      new Promise<Response>((_, reject) => {
        setTimeout(() => reject(new TypeError("fetch failed")), 2000);
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    const { bodies, exchanged } = over([breaksLate]);
    const failed = exchanged().catch((error: unknown) => error);
    let isOver = false;
    void failed.then(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(3100);
    expect([bodies.length, isOver]).toEqual([2, true]);
    expect(await failed).toBeInstanceOf(Unreachable);
  } finally {
    vi.useRealTimers();
  }
});
