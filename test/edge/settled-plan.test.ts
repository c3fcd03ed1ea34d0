import { expect, test } from "vitest";
import { newSpender, type Spender } from "../support/ledger.ts";
import { useRealLives } from "../support/lives.ts";
import { call, operatorKey } from "../support/worker.ts";
import { PATIENCE_MS } from "../support/patience.ts";

useRealLives();

const TOKENS_LIMIT = 4_000_000;
const USED_TOKENS = 3_600_000;
const ROOM_TOKENS = TOKENS_LIMIT - USED_TOKENS;
const ASKED_TOKENS = 4000;

async function planned(): Promise<Spender> {
  const org = await newSpender();
  const budget = { scope_kind: "org", limit_usd: "100000", period: "month", mode: "enforce" };
  expect((await org.send("POST", "budgets", budget)).status).toBe(201);
  const plan = { runs_limit: null, tokens_limit: TOKENS_LIMIT, overage_policy: "block" };
  const key = operatorKey();
  expect((await call("PUT", "/v1/admin/plans/settled-plan", { key, body: plan })).status).toBe(200);
  const body = { plan: "settled-plan" };
  expect((await call("PATCH", `/v1/admin/orgs/${org.id}`, { key, body })).status).toBe(200);
  expect((await call("POST", "/v1/runs", { key: org.key, body: runOf(USED_TOKENS) })).status).toBe(201);
  return org;
}

function runOf(tokens: number): object {
  const usage = { input_tokens: tokens, output_tokens: 0 };
  return { started_at: new Date().toISOString(), model: "m", usage, cost_usd: "0.01" };
}

const ASK = {
  checks: "all",
  model: "m",
  estimate: { cost_usd: "0.01", input_tokens: ASKED_TOKENS, max_output_tokens: 0 },
};

test("what an isolate held of a plan is free again once its runs are settled", async () => {
  const org = await planned();
  let atEdge = 0;
  const until = Date.now() + PATIENCE_MS;
  // Together they ask for more than is left of the plan, and use hardly anything of it.
  while (atEdge * ASKED_TOKENS <= 1.2 * ROOM_TOKENS && Date.now() < until) {
    const asked = await Promise.all(
      Array.from({ length: 20 }, () => call("POST", "/v1/edge/decision", { key: org.key, body: ASK })),
    );
    const allowed = asked.filter(({ status }) => status === 200);
    // On a busy machine, the object may not answer in time. It must not refuse.
    const others = asked.filter(({ status }) => status !== 200).map(({ body }) => body.error.code);
    expect(others).toEqual(others.map(() => "service_unavailable"));
    if (allowed.length === 0) continue;
    atEdge += allowed.filter(({ headers }) => headers.get("x-svc-decided") === "edge").length;
    const runs = allowed.map(({ body }) => ({ ...runOf(1), reservation_id: body.reservation.id }));
    const settled = await call("POST", "/v1/runs/bulk", { key: org.key, body: { runs } });
    expect(settled.body.accepted).toBe(allowed.length);
  }
  expect(atEdge * ASKED_TOKENS).toBeGreaterThan(1.2 * ROOM_TOKENS);
});
