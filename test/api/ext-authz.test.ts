import { describe, expect, test } from "vitest";
import { lengthenLives } from "../support/lives.ts";
import { type Answer, call, newOrg, operatorKey, type TestOrg } from "../support/worker.ts";

const PATH = "/v1/edge/ext-authz";
const CENT = { "x-sluice-estimate-usd": "0.01" };
const fieldsOf = ({ body }: Answer) =>
  (body.error.details.fields as { field: string; code: string }[]).map(({ field, code }) => [field, code]);

const check = (org: TestOrg, headers: Record<string, string> = CENT, method = "GET", path = PATH) =>
  call(method, path, { key: org.ownerKey, headers });

async function budget(org: TestOrg, limit: string, scope: object = { scope_kind: "org" }): Promise<void> {
  const body = { ...scope, limit_usd: limit, period: "month", mode: "enforce" };
  expect((await call("POST", `/v1/orgs/${org.id}/budgets`, { key: org.ownerKey, body })).status).toBe(201);
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"];

describe("a decision that is asked in headers", () => {
  test.each(METHODS)("is made under %s, at its path and at any below it", async (method) => {
    const org = await newOrg();
    for (const path of ["", "/", "/v1/chat/completions", "/a%zz?b=c&cursor=1", "/v1/edge/decision"]) {
      const answer = await check(org, CENT, method, PATH + path);
      expect([answer.status, answer.headers.get("x-svc-decided")]).toEqual([
        200,
        expect.stringMatching(/^(edge|object)$/),
      ]);
      expect(answer.headers.get("x-sluice-reservation-id")).toMatch(/^rsv_/);
      expect(answer.headers.get("x-sluice-decision-id")).toMatch(/^dec_/);
      expect(answer.headers.get("x-sluice-reserved-usd")).toBe("0.01");
      expect(Date.parse(answer.headers.get("x-sluice-reserved-until") ?? "")).toBeGreaterThan(Date.now());
      expect(answer.text === "").toBe(method === "HEAD");
    }
    expect((await check(org, CENT, method, `${PATH}x`)).status).toBe(404);
  });

  test("reserves what its headers say, for whom they say", async () => {
    const org = await newOrg();
    const answer = await check(org, {
      "x-sluice-request-id": "r1",
      "x-sluice-customer-id": "c1",
      "x-sluice-workflow-id": "w1",
      "x-sluice-department-id": "d1",
      "x-sluice-deployment-id": "p1",
      "x-sluice-user-id": "u1",
      "x-sluice-tags": "team=search, feature=a%2Cb%20%C3%A9",
      "x-sluice-model": "acme/m1",
      "x-sluice-estimate-usd": "0.25",
      "x-sluice-hold-seconds": "60",
      "x-sluice-on-expiry": "charge",
    });
    const ask = {
      request_id: "r1",
      customer_id: "c1",
      workflow_id: "w1",
      department_id: "d1",
      deployment_id: "p1",
      user_id: "u1",
      tags: { team: "search", feature: "a,b é" },
      model: "acme/m1",
      estimate: { cost_usd: "0.25" },
      hold_seconds: 60,
      on_expiry: "charge",
    };
    const same = await call("POST", "/v1/edge/decision", { key: org.ownerKey, body: ask });
    expect([same.status, same.body.reservation]).toEqual([200, answer.body.reservation]);
    expect(answer.headers.get("x-sluice-reservation-id")).toBe(same.body.reservation.id);
    const other = await check(org, { ...CENT, "x-sluice-request-id": "r1" });
    expect([other.status, other.body.error.code]).toEqual([409, "conflict"]);
  });

  test("reserves units, and as much output as fits", async () => {
    const org = await newOrg();
    const price = { input_usd_per_mtok: "1", output_usd_per_mtok: "10", units: { web_search: "0.004" } };
    await call("PUT", `/v1/orgs/${org.id}/models/m`, { key: org.ownerKey, body: price });
    const m = { "x-sluice-model": "m" };
    const units = await check(org, { ...m, "x-sluice-units": "web_search=2, file_search=0" });
    expect(units.headers.get("x-sluice-reserved-usd")).toBe("0.008");
    expect(units.headers.get("x-sluice-max-output-tokens")).toBeNull();
    await budget(org, "0.009");
    const fitting = { ...m, "x-sluice-min-output-tokens": "50", "x-sluice-max-output-tokens": "600" };
    const fitted = await check(org, { ...fitting, "x-sluice-units": "web_search=1" });
    expect([
      fitted.headers.get("x-sluice-reserved-usd"),
      fitted.headers.get("x-sluice-max-output-tokens"),
    ]).toEqual(["0.009", "500"]);
    expect((await check(org, fitting)).status).toBe(402);
  });

  test.each([
    ["a count that is none", { "x-sluice-units": "web_search=many" }, "x-sluice-units.web_search"],
    ["a unit twice", { "x-sluice-units": "web_search=1,web_search=2" }, "x-sluice-units"],
    ["a unit without a price", { "x-sluice-units": "image=1" }, "x-sluice-units"],
    ["no least at all", { "x-sluice-min-output-tokens": "0" }, "x-sluice-min-output-tokens"],
    ["a least above the default", { "x-sluice-min-output-tokens": "4097" }, "x-sluice-min-output-tokens"],
    ["a least with an amount", { ...CENT, "x-sluice-min-output-tokens": "1" }, "x-sluice-min-output-tokens"],
  ])("refuses %s", async (_, headers: Record<string, string>, field) => {
    const org = await newOrg();
    const price = { input_usd_per_mtok: "1", output_usd_per_mtok: "10", units: { web_search: "0.004" } };
    await call("PUT", `/v1/orgs/${org.id}/models/m`, { key: org.ownerKey, body: price });
    const answer = await check(org, { "x-sluice-model": "m", ...headers });
    expect([answer.status, fieldsOf(answer)[0]?.[0]]).toEqual([422, field]);
  });

  test("prices tokens by the model", async () => {
    const org = await newOrg();
    const price = { input_usd_per_mtok: "1", output_usd_per_mtok: "10" };
    await call("PUT", `/v1/orgs/${org.id}/models/m`, { key: org.ownerKey, body: price });
    const tokens = { "x-sluice-input-tokens": "1000000", "x-sluice-max-output-tokens": "1000000" };
    const answer = await check(org, { "x-sluice-model": "m", ...tokens });
    expect(answer.headers.get("x-sluice-reserved-usd")).toBe("11.00");
  });

  test("is made by the isolate that knows the org, without a hop", async () => {
    const org = await newOrg();
    await budget(org, "1000");
    lengthenLives();
    await expect
      .poll(async () => (await check(org)).headers.get("x-svc-decided"), { interval: 5 })
      .toBe("edge");
  });
});

describe("a refusal", () => {
  test("is that of a decision, in the body and in a header", async () => {
    const org = await newOrg();
    await budget(org, "0.005");
    const direct = await call("POST", "/v1/edge/decision", {
      key: org.ownerKey,
      body: { estimate: { cost_usd: "0.01" } },
    });
    for (const method of METHODS) {
      const answer = await check(org, CENT, method);
      expect([answer.status, answer.headers.get("x-sluice-refusal")]).toEqual([402, direct.text]);
      expect(answer.text).toBe(method === "HEAD" ? "" : direct.text);
      expect(answer.headers.get("x-sluice-reservation-id")).toBeNull();
    }
  });

  test("for a rate says how long to wait, before anything is read", async () => {
    const org = await newOrg();
    const match = { route: "POST /v1/edge/decision" };
    const policy = { name: "none", match, unit: "requests", limit: 0, window_seconds: 60, kind: "rate" };
    await call("PUT", `/v1/admin/orgs/${org.id}/rate-limits`, {
      key: operatorKey(),
      body: { read_rpm: null, policies: [policy] },
    });
    const answer = await check(org);
    expect([answer.status, answer.body.error.code]).toEqual([429, "rate_limited"]);
    expect(answer.headers.get("retry-after")).toBe(String(answer.body.error.details.retry_after_seconds));
    expect(answer.headers.get("x-sluice-refusal")).toBe(answer.text);
  });

  test("counts and is listed like a decision's", async () => {
    const org = await newOrg();
    await budget(org, "0.005");
    await check(org, { ...CENT, "x-sluice-customer-id": "c1" });
    const listed = async () =>
      (await call("GET", `/v1/orgs/${org.id}/refusals`, { key: org.ownerKey })).body.data;
    await expect
      .poll(listed, { interval: 20 })
      .toMatchObject([{ code: "budget_exceeded", operation: "POST /v1/edge/decision", customer_id: "c1" }]);
  });

  test("in a header is ASCII, and says the same", async () => {
    const org = await newOrg();
    const answer = await check(org, { ...CENT, "x-sluice-tags": "team=a,\u00e9=b" });
    const header = answer.headers.get("x-sluice-refusal") ?? "";
    expect([answer.status, /^[\x20-\x7e]+$/.test(header)]).toEqual([422, true]);
    expect(JSON.parse(header)).toEqual(answer.body);
  });
});

describe("headers", () => {
  test.each([
    ["x-sluice-customer-id", "a, b", "invalid_format"],
    ["x-sluice-customer-id", "", "empty"],
    ["x-sluice-customer-id", "x".repeat(129), "out_of_range"],
    ["x-sluice-estimate-usd", "1, 0", "invalid_format"],
    ["x-sluice-estimate-usd", "-1", "invalid_format"],
    ["x-sluice-estimate-usd", "free", "invalid_format"],
    ["x-sluice-tags", "team", "invalid_format"],
    ["x-sluice-tags", "team=a,team=b", "invalid_format"],
    ["x-sluice-tags", "team=%zz", "invalid_format"],
    ["x-sluice-tags", "x".repeat(8000), "invalid_format"],
    ["x-sluice-max-output-tokens", "1e3", "invalid_format"],
    ["x-sluice-hold-seconds", "29", "out_of_range"],
    ["x-sluice-checks", "none", "invalid_value"],
    ["x-sluice-customer", "c1", "unknown_header"],
  ])("%s: %.20s is refused as %s", async (name, value, code) => {
    const answer = await check(await newOrg(), { ...CENT, [name]: value });
    expect([answer.status, fieldsOf(answer)]).toEqual([422, [[name, code]]]);
  });

  test("without an estimate are refused by the header that is missing", async () => {
    const answer = await check(await newOrg(), { "x-sluice-customer-id": "c1" });
    expect([answer.status, fieldsOf(answer)]).toEqual([422, [["x-sluice-estimate-usd", "required"]]]);
    const unpriced = await check(await newOrg(), { "x-sluice-model": "m", "x-sluice-input-tokens": "1" });
    expect([unpriced.status, fieldsOf(unpriced)]).toEqual([422, [["x-sluice-model", "no_price"]]]);
  });

  test("that another product sends are left alone", async () => {
    const answer = await check(await newOrg(), { ...CENT, "x-customer-id": "c", "x-sluiced": "1" });
    expect(answer.status).toBe(200);
  });
});

test("a body is not read, whatever it is", async () => {
  const org = await newOrg();
  for (const body of ["{", '{"estimate":{"cost_usd":"0"}}', "x".repeat(2_000_000)]) {
    const answer = await call("POST", PATH, { key: org.ownerKey, headers: CENT, body });
    expect([answer.status, answer.headers.get("x-sluice-reserved-usd")]).toEqual([200, "0.01"]);
  }
});

test("a deprecation of it is signalled under every method and at every path", async () => {
  const org = await newOrg();
  const flag = {
    method: "POST",
    route: PATH,
    since: "2026-07-22",
    sunset: "Wed, 31 Dec 2036 23:59:59 GMT",
    replacement: "/v1/edge/decision",
    documentation: "http://127.0.0.1:8787/docs",
  };
  const flagged = await call("PUT", "/v1/admin/deprecations", { key: operatorKey(), body: flag });
  expect(flagged.status).toBe(200);
  for (const method of ["GET", "HEAD", "DELETE", "OPTIONS"]) {
    for (const path of [PATH, `${PATH}/v1/chat`]) {
      expect((await check(org, CENT, method, path)).headers.get("deprecation")).toMatch(/^@\d+$/);
    }
  }
  const { body } = await call("GET", "/v1/openapi.json");
  expect(Object.values(body.paths[PATH]).every((one) => (one as { deprecated?: true }).deprecated)).toBe(
    true,
  );
});
