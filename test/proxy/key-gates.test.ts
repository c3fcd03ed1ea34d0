import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { GateBinding } from "../../src/client/gate/binding.ts";
import { KeyGate } from "../../src/proxy/key-gate.ts";
import { KeyGates } from "../../src/proxy/key-gates.ts";
import type { ProxyOptions } from "../../src/proxy/index.ts";

const keyOf = (number: number): string =>
  `svc_live_${"0".repeat(26)}${String(number).padStart(26, "0")}_secret`;

function optionsWith(binding: Partial<GateBinding>, lines: object[] = []): ProxyOptions {
  return {
    binding: binding as GateBinding,
    orgs: "*",
    providers: {},
    log: (line) => void lines.push(line),
  };
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

  test("that were accepted are a thousand at most: the oldest that has nothing left to send goes", async () => {
    const gates = new KeyGates(optionsWith({}));
    const made: KeyGate[] = [];
    for (let number = 0; number <= 1000; number += 1) {
      const gate = gates.gateOf(keyOf(number)) as KeyGate;
      gate.isProven = true;
      made.push(gate);
      // The first has runs to send.
      if (number === 0) vi.spyOn(gate, "isIdle", "get").mockReturnValue(false);
      await gates.keep(gate);
    }
    expect(gates.gateOf(keyOf(0))).toBe(made[0]);
    expect(gates.gateOf(keyOf(2))).toBe(made[2]);
    expect(gates.gateOf(keyOf(1))).not.toBe(made[1]);
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
    const background: Promise<unknown>[] = [];
    const waitUntil = (work: Promise<unknown>) => void background.push(work);
    gate.settle({ reservation: { id: "rsv_1", amount_usd: "0.5" } } as never, run, { waitUntil });
    await vi.advanceTimersByTimeAsync(60_000);
    await Promise.all(background);
    return { sent, lines, background };
  }

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
