import { createExecutionContext } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { decideFast } from "../../src/edge/decision/fast.ts";
import { gates } from "../../src/edge/decision/gates.ts";
import type { OrgGate } from "../../src/gate/org-gate.ts";
import { byPipeline, requestOf } from "../support/two-ways.ts";
import { call, env, newOrg, operatorKey, type TestOrg } from "../support/worker.ts";
import { useRealLives } from "../support/lives.ts";

useRealLives();

/**
 * The fast path repeats the refusal of a full rate limit for calls of the same moment. It must not outlive its reasons.
 */

const body = JSON.stringify({ estimate: { cost_usd: "0.01" } });
const A_PART_OF_A_SECOND_MS = 500;

let org: TestOrg;
let gate: OrgGate;

beforeEach(async () => {
  org = await newOrg();
  const match = { route: "POST /v1/edge/decision" };
  const policy = { name: "none", match, unit: "requests", limit: 0, window_seconds: 3600, kind: "quota" };
  await call("PUT", `/v1/admin/orgs/${org.id}/rate-limits`, {
    key: operatorKey(),
    body: { read_rpm: null, policies: [policy] },
  });
  const found = gates.of(org.id);
  if (found === null) throw new Error("there is no gate for the org");
  gate = found;
});
afterEach(() => void vi.restoreAllMocks());

/** The fast path's response at that moment without waiting. Null if it does not answer. */
function refusalAt(now: number): Response | null {
  const clock = vi.spyOn(Date, "now").mockReturnValue(now);
  try {
    const served = () => Promise.resolve(new Response(null, { status: 599 }));
    const sent = requestOf({ key: org.ownerKey, body });
    const answer = decideFast(sent.url, {
      request: sent,
      env,
      context: createExecutionContext(),
      serve: served,
    });
    return answer instanceof Response ? answer : null;
  } finally {
    clock.mockRestore();
  }
}

/** Once the isolate refuses by itself. */
async function refused(): Promise<{ now: number; response: Response }> {
  let found: { now: number; response: Response } | null = null;
  const ask = async () => {
    await byPipeline({ key: org.ownerKey, body });
    const now = Date.now();
    const response = refusalAt(now);
    found = response === null ? null : { now, response };
    return response?.status;
  };
  await expect.poll(ask, { timeout: 20_000, interval: 10 }).toBe(429);
  if (found === null) throw new Error("nothing was refused");
  return found;
}

describe("a refusal that is repeated", () => {
  test("states the wait from now, not from when it was first given", async () => {
    const waits = async () => {
      const { now, response } = await refused();
      const later = refusalAt(now + A_PART_OF_A_SECOND_MS);
      const seconds = (one: Response | null) => Number(one?.headers.get("retry-after") ?? Number.NaN);
      return seconds(response) - seconds(later);
    };
    await expect.poll(waits, { timeout: 60_000, interval: 70 }).toBe(1);
  });

  test("is not repeated once the object has said something new", async () => {
    const keys = new Set<string>();
    const read = gate.rate.bind(gate);
    vi.spyOn(gate, "rate").mockImplementation((key, now) => {
      keys.add(key);
      return read(key, now);
    });
    const { now } = await refused();
    expect(refusalAt(now)?.status).toBe(429);
    const known = [...keys].flatMap((key) => gate.rate(key, now)?.info ?? []);
    expect(known).not.toEqual([]);
    const orgNow = gate.orgNow(now);
    if (orgNow === null) throw new Error("the gate does not know the org's time");
    gate.learnRates(
      known.map((info) => ({ ...info, room: 100, waitMs: 0 })),
      now,
      now,
    );
    gate.learnTime(orgNow, now, now);
    expect(refusalAt(now)).toBeNull();
  });
});
