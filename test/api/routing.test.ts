import { describe, expect, test } from "vitest";
import { newSpender, type Spender } from "../support/ledger.ts";
import { call, newOrg } from "../support/worker.ts";

const POLICY = {
  candidates: ["acme/big", "acme/small"],
  eval_gate: { suite: "support", min_score: 0.8, min_samples: 100, max_age_days: 30 },
  prefer: "cheapest",
};

const price = (org: Spender, model: string, usd: string, more: object = {}) =>
  org.send("PUT", `models/${encodeURIComponent(model)}`, {
    input_usd_per_mtok: usd,
    output_usd_per_mtok: usd,
    ...more,
  });
const evaluated = (org: Spender, model: string, score: number, samples = 500) =>
  org.send("POST", "evals", { suite: "support", model, score, samples, run_at: new Date().toISOString() });
const select = (org: Spender, body: object = {}) =>
  call("POST", "/v1/routing/select", { key: org.key, body });

async function routed(policy: object = {}): Promise<Spender> {
  const org = await newSpender();
  expect((await org.send("PUT", "routing-policy", { ...POLICY, ...policy })).status).toBe(200);
  await price(org, "acme/big", "10");
  await price(org, "acme/small", "1", { regions: ["us"] });
  await evaluated(org, "acme/big", 0.97);
  await evaluated(org, "acme/small", 0.9);
  return org;
}

describe("routing", () => {
  test("selects the cheapest or best model that passes, and explains each candidate", async () => {
    const org = await routed();
    const cheapest = await select(org);
    expect(cheapest.status).toBe(200);
    expect(cheapest.body).toMatchObject({ model: "acme/small", reason: "cheapest" });
    expect(cheapest.body.considered).toMatchObject([
      { model: "acme/big", eligible: true },
      { model: "acme/small", eligible: true },
    ]);
    await org.send("PUT", "routing-policy", { ...POLICY, prefer: "best" });
    expect((await select(org)).body).toMatchObject({ model: "acme/big", reason: "best" });
  });

  test("applies region, policy, price and the latest eval", async () => {
    const org = await routed();
    const inEurope = await select(org, { region: "eu" });
    expect(inEurope.body.model).toBe("acme/big");
    expect(inEurope.body.considered[1]).toEqual({
      model: "acme/small",
      eligible: false,
      why: "not served in region eu",
    });
    const rule = { target: "model", effect: "deny", when: 'model == "acme/small"', reason: "x" };
    const made = await org.send("POST", "policy-rules", rule);
    expect((await select(org)).body.considered[1].why).toBe(`blocked by policy ${made.body.id}`);
    await evaluated(org, "acme/big", 0.5);
    const none = await select(org);
    expect(none.status).toBe(503);
    expect(none.body.error).toMatchObject({ code: "no_model_passes_eval", details: {} });
    await org.send("PUT", "routing-policy", { ...POLICY, fallback_model: "acme/spare" });
    expect((await select(org)).status).toBe(503);
    await price(org, "acme/spare", "1");
    expect((await select(org)).body).toMatchObject({ model: "acme/spare", reason: "fallback" });
    await org.send("DELETE", "models/acme%2Fbig");
    expect((await select(org)).body.considered[0].why).toBe("no price");
  });

  test("says why the fallback cannot be used: no price, or a rule that denies it", async () => {
    const org = await routed({
      fallback_model: "acme/spare",
      eval_gate: { ...POLICY.eval_gate, min_score: 1 },
    });
    const unpriced = await select(org);
    expect(unpriced.status).toBe(503);
    expect(unpriced.body.error).toMatchObject({ code: "no_model_passes_eval", details: {} });
    expect(unpriced.body.error.message).toContain("'acme/spare' cannot be used: no price");
    await price(org, "acme/spare", "1");
    const rule = { target: "model", effect: "deny", when: 'model == "acme/spare"', reason: "x" };
    const { id } = (await org.send("POST", "policy-rules", rule)).body;
    const denied = await select(org);
    expect(denied.status).toBe(503);
    expect(denied.body.error.message).toContain(`'acme/spare' cannot be used: blocked by policy ${id}`);
  });

  test("a rule that fails excludes its models, and is the error if no model is left", async () => {
    const org = await routed();
    const when = 'model == "acme/small" && run.metadata.team == "x"';
    const rule = { target: "model", effect: "deny", when, reason: "x" };
    const { id } = (await org.send("POST", "policy-rules", rule)).body;
    const one = await select(org);
    expect(one.body).toMatchObject({ model: "acme/big" });
    expect(one.body.considered[1]).toMatchObject({ eligible: false, why: `policy ${id} failed` });
    await org.send("PATCH", `policy-rules/${id}`, { when: 'run.metadata.team == "x"' });
    const none = await select(org);
    expect(none.status).toBe(500);
    expect(none.body.error).toMatchObject({ code: "policy_expression_error", details: { rule_id: id } });
  });

  test("ignores an eval that is too old", async () => {
    const org = await routed();
    await org.advance(31 * 86_400);
    expect((await select(org)).body.error.code).toBe("no_model_passes_eval");
  });

  test("a perfect score on few samples does not meet the minimum score", async () => {
    const org = await routed({ eval_gate: { ...POLICY.eval_gate, min_samples: 1 } });
    await evaluated(org, "acme/big", 1, 5);
    await evaluated(org, "acme/small", 1, 5);
    expect((await select(org)).status).toBe(503);
  });

  test("without a routing policy, selection is refused", async () => {
    const org = await newSpender();
    expect((await org.send("GET", "routing-policy")).status).toBe(404);
    expect((await select(org)).body.error.code).toBe("conflict");
  });

  test("evals are listed by suite and model", async () => {
    const org = await routed();
    const { body } = await org.send("GET", "evals?model=acme%2Fbig&suite=support");
    expect(body.data).toMatchObject([{ model: "acme/big", score: 0.97, samples: 500 }]);
  });

  test.each([
    ["PUT", "routing-policy", { ...POLICY, candidates: [] }, "candidates", "empty"],
    ["PUT", "routing-policy", { ...POLICY, candidates: ["a", "a"] }, "candidates", "duplicate"],
    ["PUT", "routing-policy", { ...POLICY, prefer: "fastest" }, "prefer", "invalid_value"],
    ["PUT", "routing-policy", { ...POLICY, eval_gate: { suite: "s" } }, "eval_gate.min_score", "required"],
    [
      "POST",
      "evals",
      { suite: "s", model: "m", score: 1.1, samples: 1, run_at: "2026-01-01T00:00:00Z" },
      "score",
      "out_of_range",
    ],
    [
      "POST",
      "evals",
      { suite: "s", model: "m", score: 1, samples: 1, run_at: "2999-01-01T00:00:00Z" },
      "run_at",
      "out_of_range",
    ],
  ])("%s %s refuses %j", async (method, path, body, field, code) => {
    const org = await newSpender();
    const refused = await org.send(method, path, body);
    expect(refused.status).toBe(422);
    expect(refused.body.error.details.fields).toContainEqual(expect.objectContaining({ field, code }));
  });

  test("a developer can select a model, a viewer cannot, and only an admin sets the policy", async () => {
    const org = await newOrg();
    const viewer = await org.mint("viewer");
    const developer = await org.mint("developer");
    expect((await call("POST", "/v1/routing/select", { key: viewer, body: {} })).body.error.code).toBe(
      "forbidden",
    );
    expect((await call("POST", "/v1/routing/select", { key: developer, body: {} })).status).toBe(409);
    const path = `/v1/orgs/${org.id}/routing-policy`;
    expect((await call("PUT", path, { key: developer, body: POLICY })).body.error.code).toBe("forbidden");
  });
});
