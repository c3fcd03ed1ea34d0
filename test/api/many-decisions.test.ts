import { expect, test } from "vitest";
import { newSpender, type Spender } from "../support/ledger.ts";
import { call } from "../support/worker.ts";

const cost = (usd: string, more: object = {}) => ({ estimate: { cost_usd: usd }, ...more });

const decide = (org: Spender, asks: readonly unknown[]) =>
  call("POST", "/v1/edge/decisions", { key: org.key, body: { asks } });

async function budgeted(limit: string): Promise<Spender> {
  const org = await newSpender();
  await org.send("POST", "budgets", { scope_kind: "org", limit_usd: limit, period: "day", mode: "enforce" });
  return org;
}

test("each ask is judged by itself, in order, and an error is in its place", async () => {
  const org = await budgeted("5");
  const { status, body } = await decide(org, [
    cost("3"),
    cost("3"),
    cost("2"),
    { estimate: { input_tokens: 5 }, model: "no/price" },
    cost("9", { dry_run: true }),
    cost("0.01"),
  ]);
  expect(status).toBe(200);
  type Result = { decision?: string; error?: { code: string; message: string } };
  const results = (body.results as Result[]).map(({ decision, error }) => decision ?? error?.code);
  expect(results).toEqual([
    "allow",
    "budget_exceeded",
    "allow",
    "validation_failed",
    "deny",
    "budget_exceeded",
  ]);
  expect(body.results[1]).toMatchObject({ error: { details: { limit_usd: "5.00" } } });
});

test("the same request twice in one call is one reservation, and another fingerprint a conflict", async () => {
  const org = await budgeted("5");
  const asks = [
    cost("3", { request_id: "q" }),
    cost("3", { request_id: "q" }),
    cost("1", { request_id: "q" }),
  ];
  const { body } = await decide(org, asks);
  expect(body.results[1].reservation).toEqual(body.results[0].reservation);
  expect(body.results[2].error.code).toBe("conflict");
});

test("a call with no asks, too many or a malformed one is refused whole, and reserves nothing", async () => {
  const org = await budgeted("5");
  for (const asks of [[], Array.from({ length: 101 }, () => cost("0.01")), [cost("1"), { estimate: 1 }]]) {
    const { status, body } = await decide(org, asks);
    expect(status).toBe(422);
    expect(body.error.details.fields[0].field).toMatch(/^asks/);
  }
  expect((await org.decide("5")).status).toBe(200);
});

test("each ask counts as a decision under the rate limits of decisions", async () => {
  const org = await newSpender();
  const policy = {
    name: "p",
    match: { route: "POST /v1/edge/decision" },
    unit: "requests",
    limit: 3,
    window_seconds: 60,
    kind: "rate",
  };
  await org.operate("PUT", "/v1/admin/orgs/{org}/rate-limits", { read_rpm: null, policies: [policy] });
  const { body } = await decide(
    org,
    [1, 2, 3, 4, 5].map(() => cost("0.01")),
  );
  const codes = (body.results as { error?: { code: string } }[]).map(({ error }) => error?.code ?? "allow");
  expect(codes).toEqual(["allow", "allow", "allow", "rate_limited", "rate_limited"]);
});
