import { describe, expect, test } from "vitest";
import { call, newOrg, type TestOrg } from "../support/worker.ts";

const PATH = "/v1/edge/guardrail";
const CENT = { "x-sluice-estimate-usd": "0.01" };

/** As LiteLLM documents it, with null for what is absent. */
const REQUEST = {
  texts: ["extracted text from the request"],
  images: null,
  tools: null,
  tool_calls: null,
  structured_messages: [{ role: "user", content: "extracted text from the request" }],
  request_data: {
    user_api_key_hash: "hash",
    user_api_key_alias: "alias",
    user_api_key_user_id: "user-1",
    user_api_key_user_email: "user@example.com",
    user_api_key_team_id: "team-1",
    user_api_key_team_alias: "team",
    user_api_key_end_user_id: "end-user-1",
    user_api_key_org_id: "org-1",
  },
  request_headers: { "user-agent": "[present]" },
  input_type: "request",
  litellm_call_id: "call-1",
  litellm_trace_id: "trace-1",
  litellm_version: "1.80.0",
  additional_provider_specific_params: { estimate_usd: "0", customer_id: "someone else" },
};

const check = (org: TestOrg, body: object = REQUEST, headers: Record<string, string> = CENT, path = PATH) =>
  call("POST", path, { key: org.ownerKey, body, headers });

async function budget(org: TestOrg, limit: string, scope: object = { scope_kind: "org" }): Promise<void> {
  const body = { ...scope, limit_usd: limit, period: "month", mode: "enforce" };
  expect((await call("POST", `/v1/orgs/${org.id}/budgets`, { key: org.ownerKey, body })).status).toBe(201);
}

describe("LiteLLM's guardrail", () => {
  test("lets a call pass that its limits allow, at both of its addresses", async () => {
    const org = await newOrg();
    const first = await check(org);
    expect([first.status, first.body.action]).toEqual([200, "NONE"]);
    expect(first.body.reservation.amount_usd).toBe("0.01");
    const again = await check(org, REQUEST, CENT, `${PATH}/beta/litellm_basic_guardrail_api`);
    expect(again.headers.get("x-sluice-reservation-id")).toBe(again.body.reservation.id);
  });

  test("reserves each call by itself, because callers of LiteLLM choose the id of a call", async () => {
    const org = await newOrg();
    await budget(org, "0.02");
    const answers = [await check(org), await check(org), await check(org)];
    expect(answers.map(({ body }) => body.action)).toEqual(["NONE", "NONE", "BLOCKED"]);
    expect(new Set(answers.map(({ body }) => body.reservation?.id)).size).toBe(3);
  });

  test("takes a request id from its own headers", async () => {
    const org = await newOrg();
    const named = { ...CENT, "x-sluice-request-id": "r1" };
    const first = await check(org, REQUEST, named);
    expect((await check(org, REQUEST, named)).body.reservation.id).toBe(first.body.reservation.id);
  });

  test("blocks a call that a limit denies, and says which", async () => {
    const org = await newOrg();
    await budget(org, "0.005", { scope_kind: "department", scope_id: "team-1" });
    const answer = await check(org);
    expect([answer.status, answer.body.action]).toEqual([200, "BLOCKED"]);
    expect(answer.body.blocked_reason).toMatch(/\(budget_exceeded\)$/);
    expect(answer.body.error).toMatchObject({ code: "budget_exceeded", details: { limit_usd: "0.005" } });
    const listed = async () =>
      (await call("GET", `/v1/orgs/${org.id}/refusals`, { key: org.ownerKey })).body.data;
    await expect
      .poll(listed, { interval: 20 })
      .toMatchObject([
        { code: "budget_exceeded", customer_id: "end-user-1", user_id: "user-1", department_id: "team-1" },
      ]);
  });

  test("takes who is called for from its headers first, and nothing from what callers can override", async () => {
    const org = await newOrg();
    await call("POST", `/v1/orgs/${org.id}/customer-limits`, {
      key: org.ownerKey,
      body: { customer_id: "acme", limit_usd: "0.005", period: "month" },
    });
    expect((await check(org, REQUEST, { ...CENT, "x-sluice-customer-id": "acme" })).body.action).toBe(
      "BLOCKED",
    );
    expect((await check(org)).body.reservation.amount_usd).toBe("0.01");
  });

  test("prices a call without an estimate by its model and texts", async () => {
    const org = await newOrg();
    const price = { input_usd_per_mtok: "1000000", output_usd_per_mtok: "1" };
    await call("PUT", `/v1/orgs/${org.id}/models/m`, { key: org.ownerKey, body: price });
    const asked = { ...REQUEST, model: "m", texts: ["abc", "\u4e16\u754c"] };
    const answer = await check(org, asked, { "x-sluice-max-output-tokens": "0" });
    expect(answer.body.reservation.amount_usd).toBe("9.00");
    const unpriced = await check(org, { ...REQUEST, litellm_call_id: "call-2" }, {});
    expect([unpriced.status, unpriced.body.error.details.fields[0].field]).toEqual([422, "x-sluice-model"]);
  });

  test("scans texts if decisions are checked against everything", async () => {
    const org = await newOrg();
    const detectors = { detectors: [{ id: "email", kind: "builtin", action: "block" }] };
    const set = await call("PUT", `/v1/orgs/${org.id}/content-safety`, {
      key: org.ownerKey,
      body: detectors,
    });
    expect(set.status).toBe(200);
    const asked = { ...REQUEST, model: "m", texts: ["write to jane@example.com"] };
    const answer = await check(org, asked, { ...CENT, "x-sluice-checks": "all" });
    expect([answer.body.action, answer.body.error?.code]).toEqual(["BLOCKED", "content_safety_blocked"]);
    const long = { ...asked, texts: ["x".repeat(300_000)] };
    expect((await check(org, long, { ...CENT, "x-sluice-checks": "all" })).status).toBe(413);
    expect((await check(org, { ...long, litellm_call_id: null })).body.action).toBe("NONE");
  });

  test("lets responses pass, and reserves nothing for them", async () => {
    const org = await newOrg();
    await budget(org, "0");
    const answer = await check(org, { ...REQUEST, input_type: "response" });
    expect([answer.status, answer.text]).toEqual([200, '{"action":"NONE"}']);
  });

  test("takes the key where LiteLLM sends it, but never beside another", async () => {
    const org = await newOrg();
    const headers = { ...CENT, "x-api-key": org.ownerKey };
    expect((await call("POST", PATH, { body: REQUEST, headers })).status).toBe(200);
    const both = { ...headers, authorization: "Bearer nobody" };
    expect((await call("POST", PATH, { body: REQUEST, headers: both, from: "203.0.113.90" })).status).toBe(
      401,
    );
    const elsewhere = { body: { estimate: { cost_usd: "0.01" } }, headers: { "x-api-key": org.ownerKey } };
    expect((await call("POST", "/v1/edge/decision", { ...elsewhere, from: "203.0.113.91" })).status).toBe(
      401,
    );
  });

  test("answers what is no verdict with an error, which LiteLLM does not let pass", async () => {
    const org = await newOrg();
    const named = { "x-sluice-request-id": "r1" };
    await check(org, REQUEST, { ...CENT, ...named });
    const other = await check(org, REQUEST, { ...named, "x-sluice-estimate-usd": "0.02" });
    expect([other.status, other.body.error.code]).toEqual([409, "conflict"]);
    const bad = await check(org, { ...REQUEST, request_data: { user_api_key_user_id: "\u00e9" } });
    expect(bad.body.error.details.fields[0].field).toBe("request_data.user_api_key_user_id");
  });
});
