import { describe, expect, test, vi } from "vitest";
import { call, env, newOrg, operatorKey, type TestOrg } from "../support/worker.ts";
import { useRealLives } from "../support/lives.ts";
import { PATIENT } from "../support/patience.ts";

useRealLives();

const KEYS_POLICY = {
  name: "keys",
  match: { route: "POST /v1/orgs/{id}/keys" },
  unit: "requests",
  limit: 2,
  window_seconds: 60,
  kind: "rate",
};

const DECISION = "/v1/edge/decision";
const DECISIONS_POLICY = {
  ...KEYS_POLICY,
  name: "decisions",
  match: { route: `POST ${DECISION}` },
};

function setLimits(org: TestOrg, body: object) {
  return call("PUT", `/v1/admin/orgs/${org.id}/rate-limits`, { key: operatorKey(), body });
}

function read(org: TestOrg) {
  return call("GET", `/v1/orgs/${org.id}`, { key: org.ownerKey });
}

function mint(org: TestOrg) {
  const body = { name: "x", role: "viewer" };
  return call("POST", `/v1/orgs/${org.id}/keys`, { key: org.ownerKey, body });
}

async function advance(org: TestOrg, seconds: number): Promise<void> {
  const path = `/v1/admin/orgs/${org.id}/test-clock`;
  await call("POST", path, { key: operatorKey(), body: { advance_seconds: seconds } });
}

describe("PUT /v1/admin/orgs/{org_id}/rate-limits", () => {
  test("replaces everything, and publishes it to D1", async () => {
    const org = await newOrg();
    const set = await setLimits(org, { read_rpm: 50, policies: [KEYS_POLICY] });
    expect(set.status).toBe(200);
    expect(set.body).toEqual({
      read_rpm: 50,
      policies: [{ ...KEYS_POLICY, id: expect.stringMatching(/^rlp_/) }],
    });
    const got = await call("GET", `/v1/admin/orgs/${org.id}/rate-limits`, { key: operatorKey() });
    expect(got.body).toEqual(set.body);
    // The object has the original. Its copy in D1 follows.
    const copied = () =>
      env.DB.prepare("SELECT read_rpm FROM org_rate_limits WHERE org_id = ?").bind(org.id).first();
    await vi.waitUntil(async () => (await copied()) !== null, PATIENT);
    expect(await copied()).toEqual({ read_rpm: 50 });
    const rows = await env.DB.prepare(`SELECT name, route, "limit" FROM rate_limit_policies WHERE org_id = ?`)
      .bind(org.id)
      .all();
    expect(rows.results).toEqual([{ name: "keys", route: KEYS_POLICY.match.route, limit: 2 }]);
  });

  test("keeps the count of a policy that only changes its limit", async () => {
    const org = await newOrg();
    const first = await setLimits(org, { read_rpm: null, policies: [KEYS_POLICY] });
    await mint(org);
    await mint(org);
    const lowered = await setLimits(org, { read_rpm: null, policies: [{ ...KEYS_POLICY, limit: 1 }] });
    expect(lowered.body.policies[0].id).toBe(first.body.policies[0].id);
    expect((await mint(org)).status).toBe(429);
    const raised = await setLimits(org, { read_rpm: null, policies: [{ ...KEYS_POLICY, limit: 3 }] });
    expect(raised.status).toBe(200);
    expect((await mint(org)).status).toBe(201);
    expect((await mint(org)).status).toBe(429);
  });

  test.each([
    [{ policies: [] }, "read_rpm", "required"],
    [{ read_rpm: -1, policies: [] }, "read_rpm", "out_of_range"],
    [{ read_rpm: 1.5, policies: [] }, "read_rpm", "invalid_type"],
    [{ read_rpm: null, policies: [{ ...KEYS_POLICY, limit: -1 }] }, "policies[0].limit", "out_of_range"],
    [
      { read_rpm: null, policies: [{ ...KEYS_POLICY, window_seconds: 0 }] },
      "policies[0].window_seconds",
      "out_of_range",
    ],
    [{ read_rpm: null, policies: [{ ...KEYS_POLICY, kind: "burst" }] }, "policies[0].kind", "invalid_value"],
    [
      { read_rpm: null, policies: [{ ...KEYS_POLICY, match: { route: "decisions" } }] },
      "policies[0].match.route",
      "invalid_format",
    ],
    [
      { read_rpm: null, policies: [{ ...KEYS_POLICY, match: { org: "x" } }] },
      "policies[0].match.org",
      "invalid_body",
    ],
    [{ read_rpm: null, policies: [KEYS_POLICY, KEYS_POLICY] }, "policies[1].name", "duplicate"],
    [
      {
        read_rpm: null,
        policies: [KEYS_POLICY, { ...KEYS_POLICY, name: "x", match: { route: "POST /v1/nowhere" } }],
      },
      "policies[1].match.route",
      "invalid_value",
    ],
    [
      { read_rpm: null, policies: [{ ...KEYS_POLICY, match: { route: "PUT /v1/runs" } }] },
      "policies[0].match.route",
      "invalid_value",
    ],
    [
      { read_rpm: null, policies: [{ ...KEYS_POLICY, match: { route: "POST /v1/orgs/{org}/keys" } }] },
      "policies[0].match.route",
      "invalid_value",
    ],
  ])("refuses %j, naming %s", async (body, field, code) => {
    const org = await newOrg();
    const refused = await setLimits(org, body);
    expect(refused.status).toBe(422);
    expect(refused.body.error.details.fields).toContainEqual(expect.objectContaining({ field, code }));
    const got = await call("GET", `/v1/admin/orgs/${org.id}/rate-limits`, { key: operatorKey() });
    expect(got.body).toEqual({ read_rpm: null, policies: [] });
  });

  test("is for the operator only", async () => {
    const org = await newOrg();
    const path = `/v1/admin/orgs/${org.id}/rate-limits`;
    expect((await call("GET", path, { key: org.ownerKey })).status).toBe(403);
    const body = { read_rpm: 1, policies: [] };
    expect((await call("PUT", path, { key: org.ownerKey, body })).status).toBe(403);
  });
});

describe("the read limit", () => {
  test("refuses reads above it, and allows them after exactly the stated wait", async () => {
    const org = await newOrg({ environment: "test" });
    await setLimits(org, { read_rpm: 3, policies: [] });
    for (let count = 0; count < 3; count += 1) expect((await read(org)).status).toBe(200);
    const refused = await read(org);
    expect(refused.status).toBe(429);
    expect(refused.body.error.code).toBe("rate_limited");
    const seconds = refused.body.error.details.retry_after_seconds;
    expect(refused.headers.get("retry-after")).toBe(String(seconds));
    expect(seconds).toBeGreaterThan(55);
    await advance(org, seconds);
    expect((await read(org)).status).toBe(200);
  });

  test("falls back to the service default, and says what is left", async () => {
    const org = await newOrg();
    const got = await read(org);
    expect(got.headers.get("ratelimit-policy")).toBe('"read";q=600;w=60');
    expect(got.headers.get("ratelimit")).toMatch(/^"read";r=599;t=\d+$/);
  });

  test("counts only reads, and not refused ones", async () => {
    const org = await newOrg({ environment: "test" });
    await setLimits(org, { read_rpm: 1, policies: [] });
    expect((await mint(org)).status).toBe(201);
    expect((await read(org)).status).toBe(200);
    for (let count = 0; count < 5; count += 1) expect((await read(org)).status).toBe(429);
    await advance(org, 61);
    expect((await read(org)).status).toBe(200);
  });

  test("is exact for concurrent reads", async () => {
    const org = await newOrg();
    await setLimits(org, { read_rpm: 40, policies: [] });
    const answers = await Promise.all(Array.from({ length: 100 }, () => read(org)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(40);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(60);
  });

  test("of zero refuses every read", async () => {
    const org = await newOrg();
    await setLimits(org, { read_rpm: 0, policies: [] });
    expect((await read(org)).status).toBe(429);
  });
});

describe("a rate-limit policy", () => {
  test("of kind quota refuses with quota_exhausted until its window ends", async () => {
    const org = await newOrg({ environment: "test" });
    const policy = { ...KEYS_POLICY, kind: "quota", window_seconds: 2_592_000 };
    const set = await setLimits(org, { read_rpm: null, policies: [policy] });
    expect((await mint(org)).status).toBe(201);
    expect((await mint(org)).status).toBe(201);
    const refused = await mint(org);
    expect(refused.status).toBe(429);
    expect(refused.body.error).toMatchObject({
      code: "quota_exhausted",
      details: {
        quota: "window",
        policy_id: set.body.policies[0].id,
        limit: 2,
        used: 2,
        window_seconds: 2_592_000,
        resets_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT00:00:00\.000\+00:00$/),
      },
    });
    await advance(org, Number(refused.headers.get("retry-after")));
    expect((await mint(org)).status).toBe(201);
  });

  test("reports what is left after a decision, from isolate and object alike", async () => {
    const org = await newOrg();
    const limit = 1_000_000;
    const policies = [
      { ...DECISIONS_POLICY, limit },
      { ...DECISIONS_POLICY, name: "tokens", unit: "tokens", limit },
    ];
    await setLimits(org, { read_rpm: null, policies });
    const body = { estimate: { cost_usd: "0", input_tokens: 2, max_output_tokens: 3 } };
    const left = async (more: object = {}) => {
      const decided = await call("POST", DECISION, { key: org.ownerKey, body: { ...body, ...more } });
      const { limits } = decided.body as { limits: { available: number }[] };
      return { by: decided.headers.get("x-svc-decided"), left: limits.map(({ available }) => available) };
    };
    expect(await left()).toEqual({ by: "object", left: [limit - 1, limit - 5] });
    expect(await left({ dry_run: true })).toEqual({ by: "object", left: [limit - 1, limit - 5] });
    let taken = 1;
    // An isolate that has not heard from the object for a while knows only what its slice has left.
    const saysTheSame = async () => {
      taken += 1;
      const answer = await left();
      return answer.by === "edge" && answer.left[0] === limit - taken && answer.left[1] === limit - 5 * taken;
    };
    await expect.poll(saysTheSame, { interval: 1 }).toBe(true);
  });

  test("for one key does not affect other keys", async () => {
    const org = await newOrg();
    const listed = await call("GET", `/v1/orgs/${org.id}/keys`, { key: org.ownerKey });
    const other = await org.mint("owner");
    const policy = { ...KEYS_POLICY, match: { key_id: listed.body.data[0].id }, limit: 0 };
    await setLimits(org, { read_rpm: null, policies: [policy] });
    expect((await read(org)).status).toBe(429);
    expect((await call("GET", `/v1/orgs/${org.id}`, { key: other })).status).toBe(200);
  });
});
