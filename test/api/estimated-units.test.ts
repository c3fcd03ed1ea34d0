import { describe, expect, test } from "vitest";
import { newSpender, type Spender } from "../support/ledger.ts";
import { lengthenLives } from "../support/lives.ts";
import { call } from "../support/worker.ts";
import { gateOf } from "../support/worker-gate.ts";

/** Calls that are billed by the piece beside tokens reserve the pieces, whoever decides. */

const MODEL = {
  input_usd_per_mtok: "1",
  output_usd_per_mtok: "1",
  units: { web_search: "0.01", file_search: "0.0025" },
};

async function priced(limit = "1000"): Promise<Spender> {
  const org = await newSpender();
  expect((await org.send("PUT", "models/m", MODEL)).status).toBe(200);
  const budget = { scope_kind: "org", limit_usd: limit, period: "total" };
  expect((await org.send("POST", "budgets", budget)).status).toBe(201);
  return org;
}

const budgetOf = async (org: Spender) => (await org.send("GET", "budgets")).body.data[0];
const ask = (units: Record<string, number>, more: object = {}) => ({
  model: "m",
  estimate: { units },
  ...more,
});

describe("a request id", () => {
  test("stands for the units that were asked for, in any order", async () => {
    const org = await priced();
    const decide = (units: Record<string, number>) => org.decide("", ask(units, { request_id: "r1" }));
    const first = await decide({ web_search: 2, file_search: 1 });
    expect(first.body.reservation.amount_usd).toBe("0.0225");
    expect((await decide({ file_search: 1, web_search: 2 })).body.reservation).toEqual(
      first.body.reservation,
    );
    expect((await decide({ web_search: 3, file_search: 1 })).body.error.code).toBe("conflict");
    expect((await budgetOf(org)).reserved_usd).toBe("0.0225");
  });
});

test("rules see the units that a call may use", async () => {
  const org = await priced();
  const rule = {
    target: "model",
    reason: "few searches",
    effect: "deny",
    when: "has(run.usage.units) && has(run.usage.units.web_search) && run.usage.units.web_search > 2",
  };
  expect((await org.send("POST", "policy-rules", rule)).status).toBe(201);
  const decide = (searches: number) => org.decide("", ask({ web_search: searches }, { checks: "all" }));
  expect((await decide(2)).status).toBe(200);
  expect((await decide(3)).body.error.code).toBe("policy_blocked");
});

test("an explanation counts them", async () => {
  const org = await priced("0.03");
  const body = { ask: ask({ web_search: 3 }) };
  const explain = () => call("POST", `/v1/orgs/${org.id}/explain`, { key: org.key, body });
  expect((await explain()).body).toMatchObject({ amount_usd: "0.03" });
});

test("what expires unsettled is charged with its units", async () => {
  const org = await priced();
  const asked = ask({ web_search: 3 }, { on_expiry: "charge", hold_seconds: 60 });
  expect((await org.decide("", asked)).status).toBe(200);
  await org.advance(120);
  await expect.poll(async () => (await budgetOf(org)).spent_usd).toBe("0.03");
});

test("an embedded gate decides them by itself, never past the limit", async () => {
  const org = await priced("3");
  lengthenLives();
  const gate = gateOf(org.key);
  let allowed = 0;
  let refused: unknown = null;
  while (refused === null && allowed < 400) {
    try {
      await gate.decide(ask({ web_search: 1 }));
      allowed += 1;
    } catch (error) {
      refused = error;
    }
  }
  expect(refused).toMatchObject({ code: "budget_exceeded" });
  // What another gate could still hold is not given out twice, so the last call or two may wait for it.
  expect(allowed).toBeLessThanOrEqual(300);
  expect(allowed).toBeGreaterThan(250);
  expect(gate.stats.allowedHere).toBeGreaterThan(100);
  await gate.close();
  expect(Number((await budgetOf(org)).reserved_usd)).toBeCloseTo(allowed / 100, 6);
});
