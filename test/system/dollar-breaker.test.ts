import { expect, onTestFinished, test } from "vitest";
import { createGate } from "../../src/client/gate/index.ts";
import { call, callerAt, newOrg, sharedServer } from "../support/server.ts";
import { PATIENCE_MS } from "../support/patience.ts";

/** A loop that runs away is stopped by a policy in dollars a window, for the key that it has. */

const LIMIT_CENTS = 500;
const WINDOW_SECONDS = 2_592_000;
const CENT = { estimate: { cost_usd: "0.01" } };
/** Refusals in a row after which a loop waits for what isolates give back. */
const MOST_REFUSALS = 5;

async function limitedOrg(match: object = { each_key: true }) {
  const { operatorKey } = sharedServer();
  const { id, ownerKey } = await newOrg({ environment: "test" });
  const policy = {
    name: "breaker",
    match,
    unit: "usd",
    limit: LIMIT_CENTS / 100,
    window_seconds: WINDOW_SECONDS,
    kind: "quota",
  };
  const body = { read_rpm: null, policies: [policy] };
  const set = await call("PUT", `/v1/admin/orgs/${id}/rate-limits`, { key: operatorKey, body });
  expect(set.status).toBe(200);
  const newKey = { name: "loop", role: "developer" };
  const minted = await call("POST", `/v1/orgs/${id}/keys`, { key: ownerKey, body: newKey });
  return {
    ownerKey,
    loopKey: String(minted.body.key),
    nextWindow: async () => {
      const moved = { advance_seconds: WINDOW_SECONDS };
      const path = `/v1/admin/orgs/${id}/test-clock`;
      expect((await call("POST", path, { key: operatorKey, body: moved })).status).toBe(200);
    },
    used: async () => (await call("GET", `/v1/orgs/${id}/rate-limits`, { key: ownerKey })).body.policies[0],
  };
}

interface Loop {
  /** Makes calls until it is refused for good, and returns how many were allowed. */
  run(): Promise<number>;
}

function loopOf(decide: () => Promise<boolean>): Loop {
  return {
    run: async () => {
      let allowed = 0;
      for (let refused = 0; refused < MOST_REFUSALS;) {
        if (await decide()) {
          allowed += 1;
          refused = 0;
        } else refused += 1;
      }
      return allowed;
    },
  };
}

test("loops over HTTP and in the embedded gate spend one window's dollars, exactly, and go on in the next", async () => {
  const org = await limitedOrg();
  const { urls } = sharedServer();
  const gate = createGate({ url: urls[0], key: org.loopKey, flushMs: 20, timeoutMs: PATIENCE_MS });
  onTestFinished(() => gate.close());
  const overHttp = urls.map((url) => {
    const send = callerAt(url);
    return loopOf(async () => {
      const { status, body } = await send("POST", "/v1/edge/decision", {
        key: org.loopKey,
        body: CENT,
      });
      if (status !== 200) expect([status, body.error.code]).toEqual([429, "quota_exhausted"]);
      return status === 200;
    });
  });
  const embedded = loopOf(async () => {
    const code = await gate.decide(CENT).then(
      () => null,
      (error: { code: string }) => error.code,
    );
    expect([null, "quota_exhausted"]).toContain(code);
    return code === null;
  });
  const loops = [...overHttp, embedded];

  for (const _window of ["first", "next"]) {
    let cents = 0;
    const spendMore = async () => {
      const allowed = await Promise.all(loops.map((loop) => loop.run()));
      cents += allowed.reduce((sum, count) => sum + count, 0);
      expect(cents).toBeLessThanOrEqual(LIMIT_CENTS);
      return cents;
    };
    // What isolates had leased and not used comes back, and is used to the last cent.
    await expect.poll(spendMore, { interval: 200 }).toBe(LIMIT_CENTS);
    expect((await org.used()).busiest).toMatchObject([{ used_usd: "5.00" }]);
    await org.nextWindow();
  }
});

test.each([
  ["key", { each_key: true }, {}],
  ["chain", { chain_id: "*" }, { chain: { chain_id: "agent" } }],
])("isolates and embedded gates allow and refuse by that of a %s themselves", async (_, match, named) => {
  const org = await limitedOrg(match);
  const gate = createGate({
    url: sharedServer().urls[0],
    key: org.loopKey,
    flushMs: 20,
    timeoutMs: PATIENCE_MS,
  });
  onTestFinished(() => gate.close());
  const atEdge = new Set<string>();
  const decide = async (cost_usd: string) => {
    const ask = { estimate: { cost_usd }, ...named };
    await gate.decide(ask).catch(() => undefined);
    const { status, headers } = await call("POST", "/v1/edge/decision", { key: org.ownerKey, body: ask });
    if (headers.get("x-svc-decided") === "edge") atEdge.add(status === 200 ? "allowed" : "refused");
    return [...atEdge, gate.stats.allowedHere > 0, gate.stats.refusedHere > 0];
  };
  await expect.poll(() => decide("0.000001"), { interval: 1 }).toEqual(["allowed", true, false]);
  await expect.poll(() => decide("4"), { interval: 1 }).toEqual(["allowed", "refused", true, true]);
});

test("the dollars of one key are not those of another", async () => {
  const org = await limitedOrg();
  const decide = async (key: string, cost_usd: string) =>
    (await call("POST", "/v1/edge/decision", { key, body: { estimate: { cost_usd } } })).status;
  for (const key of [org.loopKey, org.ownerKey])
    expect([await decide(key, "5"), await decide(key, "0.01")]).toEqual([200, 429]);
});
