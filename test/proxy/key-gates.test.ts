import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { GateBinding } from "../../src/client/gate/binding.ts";
import { KeyGate } from "../../src/proxy/key-gate.ts";
import { KeyGates } from "../../src/proxy/key-gates.ts";
import type { ProxyOptions } from "../../src/proxy/index.ts";

const keyOf = (number: number, org = 0): string =>
  `svc_live_${String(org).padStart(26, "0")}${String(number).padStart(26, "0")}_secret`;
const MIB = 1_048_576;

function optionsWith(binding: Partial<GateBinding>, lines: object[] = []): ProxyOptions {
  return {
    binding: binding as GateBinding,
    orgs: "*",
    providers: {},
    log: (line) => void lines.push(line),
  };
}

/** What is in use after a collection. */
function heapBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

/** The service's answer to an exchange, with so many ids. */
function leaseText(count: number): string {
  const ids = Array.from({ length: count }, () => `rsv_${crypto.randomUUID().replaceAll("-", "")}`);
  const facts = { valid_ms: 2000, checks: "limits", on_expiry: "charge", counted_by: [], scans_input: false };
  return JSON.stringify({ version: 1, ...facts, ids, refused: [], verdict: null, leases: null });
}

describe("gates of keys", () => {
  test("that are made up push out only one another, the oldest first", async () => {
    const gates = new KeyGates(optionsWith({}));
    const proven = gates.gateOf(keyOf(0)) as KeyGate;
    proven.isProven = true;
    await gates.keep(proven);
    const first = gates.gateOf(keyOf(1));
    for (let number = 2; number <= 200; number += 1) gates.gateOf(keyOf(number));
    expect(gates.gateOf(keyOf(1))).toBe(first);
    const last = gates.gateOf(keyOf(201));
    expect(gates.gateOf(keyOf(201))).toBe(last);
    expect(gates.gateOf(keyOf(0))).toBe(proven);
    expect(gates.gateOf(keyOf(1))).not.toBe(first);
  });

  /** The gate of a key that was accepted, after a call, with so much to remember. */
  async function called(gates: KeyGates, key: string, bytes: number, isIdle = true): Promise<KeyGate> {
    const gate = gates.gateOf(key) as KeyGate;
    gate.isProven = true;
    vi.spyOn(gate, "bytes", "get").mockReturnValue(bytes);
    vi.spyOn(gate, "isIdle", "get").mockReturnValue(isIdle);
    await gates.keep(gate);
    return gate;
  }

  test("that were accepted take 16 MiB at most: those that were used least lately go, if they have nothing to send", async () => {
    const gates = new KeyGates(optionsWith({}));
    const made: KeyGate[] = [];
    // The first has runs to send, and the second is used again.
    for (let org = 0; org < 8; org += 1) made.push(await called(gates, keyOf(1, org), 2 * MIB, org > 0));
    await called(gates, keyOf(1, 1), 2 * MIB);
    const closed = vi.spyOn(made[2] as KeyGate, "close");
    await called(gates, keyOf(1, 8), 2 * MIB);
    expect(gates.bytes).toBe(16 * MIB);
    expect(closed).toHaveBeenCalledOnce();
    for (const org of [0, 1, 3]) expect(gates.gateOf(keyOf(1, org))).toBe(made[org]);
    expect(gates.gateOf(keyOf(1, 2))).not.toBe(made[2]);
  });

  test("of one org take a quarter of that at most, and push out none of another", async () => {
    const gates = new KeyGates(optionsWith({}));
    const other = await called(gates, keyOf(1, 1), 1 * MIB);
    const own: KeyGate[] = [];
    for (let number = 0; number < 20; number += 1) own.push(await called(gates, keyOf(number), 1 * MIB));
    expect(gates.bytes).toBe(5 * MIB);
    expect(gates.gateOf(keyOf(1, 1))).toBe(other);
    expect(gates.gateOf(keyOf(19))).toBe(own[19]);
    expect(gates.gateOf(keyOf(15))).not.toBe(own[15]);
  });

  test("whose runs fill the memory of their org, or all of it, decide nothing more", async () => {
    const gates = new KeyGates(optionsWith({}));
    const full = await called(gates, keyOf(1), 5 * MIB, false);
    const other = await called(gates, keyOf(1, 1), 1 * MIB, false);
    expect([gates.hasRoomFor(full), gates.hasRoomFor(other)]).toEqual([false, true]);
    for (let org = 2; org < 5; org += 1) await called(gates, keyOf(1, org), 4 * MIB, false);
    expect(gates.hasRoomFor(other)).toBe(false);
    const sent = await called(gates, keyOf(1), 1 * MIB);
    expect([gates.hasRoomFor(sent), gates.hasRoomFor(other)]).toEqual([true, true]);
  });

  test("take about as much memory as they say", async () => {
    const leases = async () => ({ status: 200, headers: {}, text: leaseText(100) });
    const made: KeyGate[] = [];
    const make = async (count: number) => {
      for (let number = 0; number < count; number += 1) {
        const gate = new KeyGate(keyOf(made.length), optionsWith({ leases }));
        made.push(gate);
        await gate.decide({ estimate: { cost_usd: "0.01" } }).catch(() => undefined);
      }
    };
    await make(100);
    const [before, count] = [heapBytes(), 500];
    await make(count);
    const each = (heapBytes() - before) / count;
    const { bytes = 0 } = made.at(-1) ?? {};
    expect(bytes).toBeGreaterThan(each / 2);
    expect(bytes).toBeLessThan(each * 2);
    expect(each).toBeLessThan(40_000);
  });

  test("are none of a text that is no key", () => {
    expect(new KeyGates(optionsWith({})).gateOf("sk-somebody")).toBeNull();
  });
});

test("a service that is silent is waited for as long as the proxy is told to", async () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  const asked: number[] = [];
  vi.stubGlobal("fetch", (_: unknown, { signal }: { signal: AbortSignal }) => {
    const at = Date.now();
    return new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        asked.push(Date.now() - at);
        reject(signal.reason as Error);
      });
    });
  });
  const options = { orgs: "*", providers: {}, url: "http://silent.test", decisionTimeoutMs: 500 } as const;
  const outcome = new KeyGate(keyOf(1), options).prove().catch(String);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await outcome).toContain("500 ms");
  expect(new Set(asked)).toEqual(new Set([500]));
});

describe("a run that the service does not take", () => {
  type Sent = { readonly id: string; readonly cost_usd?: string; readonly reservation_id?: string };

  /** The runs that were sent, and what was logged, where the service rejects those with these ids. */
  async function sentTo(isRejected: (id: string) => boolean, code: string) {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const sent: Sent[] = [];
    const lines: object[] = [];
    const settle: GateBinding["settle"] = async (_, runs) => {
      sent.push(...(runs as Sent[]));
      const results = (runs as Sent[]).map(({ id }, index) =>
        isRejected(id)
          ? { index, status: "rejected", error: { code, message: "No." } }
          : { index, status: "accepted" },
      );
      return {
        status: 200,
        headers: { "content-type": "application/json" },
        text: JSON.stringify({ results }),
      };
    };
    const leases: GateBinding["leases"] = async () => ({ status: 503, headers: {}, text: "" });
    const gate = new KeyGate(keyOf(1), optionsWith({ settle, leases }, lines));
    const usage = { input_tokens: 1, output_tokens: 2 };
    const run = { id: "run", model: "m", usage, started_at: "2026-01-01T00:00:00Z", variant: "fast" };
    const { bytes } = gate;
    const background: Promise<unknown>[] = [];
    const waitUntil = (work: Promise<unknown>) => void background.push(work);
    gate.settle({ reservation: { id: "rsv_1", amount_usd: "0.5" } } as never, run, { waitUntil });
    await vi.advanceTimersByTimeAsync(60_000);
    await Promise.all(background);
    return { sent, lines, background, gate, bytes };
  }

  test("leaves nothing behind once it is taken", async () => {
    const { gate, bytes } = await sentTo(() => false, "unknown_price");
    expect(gate.isIdle).toBe(true);
    expect(gate.bytes).toBe(bytes);
  });

  test("goes again at what was reserved for it", async () => {
    const { sent, lines, background } = await sentTo((id) => id === "run", "unknown_price");
    expect(sent.map(({ id, cost_usd, reservation_id }) => [id, cost_usd, reservation_id])).toEqual([
      ["run", undefined, "rsv_1"],
      ["run-again", "0.5", "rsv_1"],
    ]);
    expect(lines).toEqual([]);
    // The request that made the call waits for both.
    expect(background).toHaveLength(2);
  });

  test("goes again by itself, where its reservation was settled by another", async () => {
    const { sent } = await sentTo((id) => id === "run", "conflict");
    expect(sent.map(({ id, reservation_id }) => [id, reservation_id])).toEqual([
      ["run", "rsv_1"],
      ["run-again", undefined],
    ]);
  });

  test("is logged, where that is not taken either", async () => {
    const { lines } = await sentTo(() => true, "unknown_price");
    expect(lines).toMatchObject([{ code: "unsettled_call", run: "run-again", reason: "unknown_price" }]);
  });
});
