import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AllowCache } from "../../src/gate/decision/allow-cache.ts";
import type { Background } from "../../src/gate/lease/background.ts";
import { LEASE } from "../../src/gate/lease/protocol.ts";
import { OrgGate } from "../../src/gate/org-gate.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a gate with traffic asks as often as it must, and counts what others made it ask", async () => {
  const gate = new OrgGate("holder", new AllowCache());
  const beganAt = Date.now();
  const askedAfterMs: number[] = [];
  const background: Background = {
    object: () => ({
      syncLeases: async () => {
        askedAfterMs.push(Date.now() - beganAt);
        return null;
      },
    }),
    waitUntil: () => undefined,
    now: () => Date.now(),
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  };
  const slice = gate.leaseClient.slice("meter");
  Object.assign(slice, { left: 1000, until: beganAt + 60_000, full: 1000, share: 1000 });
  gate.leaseClient.take([slice], [1], beganAt);
  gate.keep(beganAt, [], background);
  await vi.advanceTimersByTimeAsync(LEASE.syncMs * 2);
  expect(askedAfterMs).toEqual([250, 500]);
  // A run that is settled has it report at once, and the next report is due as long after that one.
  await vi.advanceTimersByTimeAsync(100);
  await gate.flush(background);
  await vi.advanceTimersByTimeAsync(200);
  await gate.flush(background);
  await vi.advanceTimersByTimeAsync(LEASE.syncMs * 2);
  expect(askedAfterMs).toEqual([250, 500, 600, 800, 1050, 1300]);
  // Others ask all the time. What no call touches any more is forgotten all the same.
  gate.asked = 5;
  gate.leaseClient.slice("forgotten");
  for (let nth = 0; nth < 400; nth += 1) {
    await vi.advanceTimersByTimeAsync(100);
    gate.keep(Date.now(), [], background);
    await gate.flush(background);
  }
  expect(gate.asked).toBe(0);
  expect(gate.leaseClient.prune()).toEqual([]);
  // A clock that was set back an hour makes nothing wait.
  vi.setSystemTime(Date.now() - 3_600_000);
  askedAfterMs.length = 0;
  await vi.advanceTimersByTimeAsync(1000);
  expect(askedAfterMs.length).toBeGreaterThanOrEqual(2);
});
