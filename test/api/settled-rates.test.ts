import { describe, expect, test } from "vitest";
import { aRun, newSpender, type Spender } from "../support/ledger.ts";
import { type Answer, call } from "../support/worker.ts";
import { useRealLives } from "../support/lives.ts";

useRealLives();

/** Rate limits that count by the body, and runs that settle reservations. */

const POLICY = { name: "p", match: {}, unit: "tokens", limit: 100, window_seconds: 2_592_000, kind: "quota" };

async function limited(...policies: object[]): Promise<Spender> {
  const org = await newSpender();
  const body = { read_rpm: null, policies: policies.map((policy) => ({ ...POLICY, ...policy })) };
  expect((await org.operate("PUT", "/v1/admin/orgs/{org}/rate-limits", body)).status).toBe(200);
  return org;
}

const tokens = (count: number, more: object = {}) => ({
  usage: { input_tokens: count, output_tokens: 0 },
  cost_usd: "0",
  ...more,
});

const estimate = (count: number) => ({
  estimate: { cost_usd: "0", input_tokens: count, max_output_tokens: 0 },
});
/** Does not mention tokens. */
const COST_ALONE = { estimate: { cost_usd: "0.5" } };

async function reserve(org: Spender, ask: object): Promise<string> {
  const answer = await org.decide("0", ask);
  expect(answer.status).toBe(200);
  return answer.body.reservation.id as string;
}

const seen = ({ status, body }: Answer) => [status, body?.error?.code];

/** How much of the first policy is used, as reported to a decision that asks for too much. */
async function used(org: Spender, more: object = {}): Promise<number> {
  const asked = await org.decide("0", { ...estimate(900_000_000), ...more });
  expect(seen(asked)).toEqual([429, "quota_exhausted"]);
  return asked.body.error.details.used as number;
}

const WAYS = {
  "a run": async (org: Spender, fields: object) => (await org.run(fields)).status === 201,
  "a bulk call": async (org: Spender, fields: object) => (await org.bulk([aRun(fields)])).body.accepted === 1,
} as const;

describe.each(Object.keys(WAYS) as (keyof typeof WAYS)[])("%s that settles a reservation", (way) => {
  const settle = async (org: Spender, reservation_id: string, fields: object) =>
    expect(await WAYS[way](org, { ...fields, reservation_id })).toBe(true);

  test("counts the tokens that its decision did not mention, and the next call is refused", async () => {
    const org = await limited({});
    const id = await reserve(org, COST_ALONE);
    await settle(org, id, tokens(250));
    expect(await used(org)).toBe(250);
    expect(seen(await org.decide("0", estimate(1)))).toEqual([429, "quota_exhausted"]);
    expect(seen(await org.run(tokens(1)))).toEqual([429, "quota_exhausted"]);
  });

  test("counts only what it used beyond its estimate", async () => {
    const org = await limited({});
    const [more, less] = [await reserve(org, estimate(40)), await reserve(org, estimate(50))];
    await settle(org, more, tokens(60));
    expect(await used(org)).toBe(110);
    await settle(org, less, tokens(20));
    expect(await used(org)).toBe(110);
  });

  test("is recorded and counted even if the policy is full", async () => {
    const org = await limited({});
    const id = await reserve(org, COST_ALONE);
    await org.run(tokens(100));
    await settle(org, id, tokens(30));
    expect(await used(org)).toBe(130);
  });

  test("counts for the customer that only the run names", async () => {
    const byTokens = await limited({ match: { customer_id: "*" } });
    const id = await reserve(byTokens, estimate(90));
    await settle(byTokens, id, tokens(70, { customer_id: "c" }));
    expect(await used(byTokens, { customer_id: "c" })).toBe(70);
    const other = await reserve(byTokens, { ...estimate(90), customer_id: "a" });
    await settle(byTokens, other, tokens(30, { customer_id: "c" }));
    expect(await used(byTokens, { customer_id: "c" })).toBe(100);
    expect(await used(byTokens, { customer_id: "a" })).toBe(90);
    const byRequests = await limited({ match: { customer_id: "c" }, unit: "requests", limit: 1 });
    await settle(byRequests, await reserve(byRequests, COST_ALONE), { customer_id: "c" });
    expect(seen(await byRequests.decide("0", { customer_id: "c" }))).toEqual([429, "quota_exhausted"]);
  });

  test("is one request of its customer together with its decision", async () => {
    const org = await limited({ match: { customer_id: "*" }, unit: "requests", limit: 2 });
    await settle(org, await reserve(org, { ...COST_ALONE, customer_id: "c" }), { customer_id: "c" });
    expect((await org.decide("0", { customer_id: "c" })).status).toBe(200);
    expect(seen(await org.decide("0", { customer_id: "c" }))).toEqual([429, "quota_exhausted"]);
  });

  test("counts in full under a policy that names its own route", async () => {
    const route = way === "a run" ? "POST /v1/runs" : "POST /v1/runs/bulk";
    const org = await limited({ match: { route } });
    await settle(org, await reserve(org, estimate(80)), tokens(90));
    const answer = way === "a run" ? await org.run(tokens(11)) : await org.bulk([aRun(tokens(11))]);
    expect(seen(answer)).toEqual([429, "quota_exhausted"]);
    expect(answer.body.error.details.used).toBe(90);
  });

  test("counts under a policy of its decision's route or key, whichever key reports it", async () => {
    const org = await limited({ match: { route: "POST /v1/edge/decision" } });
    const minted = await org.send("POST", "keys", { name: "other", role: "developer" });
    const { key } = minted.body as { key: string };
    const body = {
      read_rpm: null,
      policies: [
        { ...POLICY, match: { route: "POST /v1/edge/decision" } },
        { ...POLICY, name: "k", match: { key_id: minted.body.id as string } },
      ],
    };
    expect((await org.operate("PUT", "/v1/admin/orgs/{org}/rate-limits", body)).status).toBe(200);
    const decide = (ask: object) => call("POST", "/v1/edge/decision", { key, body: ask });
    const { id } = (await decide(estimate(10))).body.reservation as { id: string };
    await settle(org, id, tokens(60));
    // The key's policy and the route's policy refuse because of the same usage.
    expect(await used(org)).toBe(60);
    await org.operate("PUT", "/v1/admin/orgs/{org}/rate-limits", {
      ...body,
      policies: body.policies.slice(1),
    });
    const refused = await decide(estimate(41));
    expect(seen(refused)).toEqual([429, "quota_exhausted"]);
    expect(refused.body.error.details.used).toBe(60);
  });
});

describe.each([
  { limits: "with a dollar limit", budget: true, match: {} },
  { limits: "without a dollar limit", budget: false, match: {} },
  { limits: "by a policy for decisions", budget: false, match: { route: "POST /v1/edge/decision" } },
])("decided in the isolate, $limits", ({ budget, match }) => {
  test("reservations and their runs count the same as decided by the object", async () => {
    const LIMIT = 10_000_000;
    const org = await limited({ limit: LIMIT, match });
    if (budget) {
      await org.send("POST", "budgets", { scope_kind: "org", limit_usd: "100000", period: "month" });
    }
    let expected = 0;
    let atEdge = 0;
    let settledAtEdge = 0;
    const one = async (n: number) => {
      const asked = n % 3 === 0 ? 0 : 100;
      const ask = asked === 0 ? COST_ALONE : { estimate: { ...estimate(asked).estimate, cost_usd: "0.5" } };
      const answer = await org.decide("0", ask);
      expect(answer.status).toBe(200);
      const isEdge = answer.headers.get("x-svc-decided") === "edge";
      if (isEdge) atEdge += 1;
      expected += asked;
      if (n % 4 === 3) return;
      const run = tokens(n % 2 === 0 ? 150 : 50, { reservation_id: answer.body.reservation.id as string });
      const settled = await WAYS[n % 5 === 0 ? "a bulk call" : "a run"](org, run);
      expect(settled).toBe(true);
      if (isEdge) settledAtEdge += 1;
      expected += Math.max(0, (n % 2 === 0 ? 150 : 50) - asked);
    };
    const isEnough = () => settledAtEdge >= 60;
    for (let round = 0; round < 60 && !isEnough(); round += 1) {
      await Promise.all(Array.from({ length: 12 }, (_, index) => one(round * 12 + index)));
    }
    expect(atEdge).toBeGreaterThan(settledAtEdge);
    expect(settledAtEdge).toBeGreaterThanOrEqual(60);
    // What the isolate has leased and not used comes back with its reports.
    await expect.poll(() => used(org), { interval: 250 }).toBe(expected);
  });
});
