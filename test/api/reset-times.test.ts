import { expect, test } from "vitest";
import { newSpender } from "../support/ledger.ts";
import { call, operatorKey } from "../support/worker.ts";

/** Every `resets_at`, however deep it is. */
function resetTimes(value: unknown): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, field]) =>
    name === "resets_at" ? [field] : resetTimes(field),
  );
}

test("resets_at has a numeric offset wherever it is", async () => {
  const org = await newSpender();
  await org.send("PUT", "spend-cap", { cap_usd: "0", timezone: "Asia/Kolkata" });
  const berlin = { scope_kind: "org", limit_usd: "5", period: "month", timezone: "Europe/Berlin" };
  await org.send("POST", "budgets", berlin);
  await org.send("POST", "customer-limits", { customer_id: "c1", limit_usd: "5", period: "month" });
  const policy = { name: "p", match: {}, unit: "requests", limit: 1000, window_seconds: 3600, kind: "quota" };
  await call("PUT", `/v1/admin/orgs/${org.id}/rate-limits`, {
    key: operatorKey(),
    body: { read_rpm: null, policies: [policy] },
  });
  await org.run({ customer_id: "c1", cost_usd: "1", incurred: true });
  const ask = { customer_id: "c1", estimate: { cost_usd: "1" } };
  const refused = await call("POST", "/v1/edge/decision", { key: org.key, body: ask });
  expect(refused.status).toBe(402);
  const trace = refused.headers.get("x-svc-trace-id");
  const explained = async () => org.send("POST", "explain", { trace_id: trace });
  await expect.poll(async () => (await explained()).status).toBe(200);
  const answers = {
    refusal: refused,
    cap: await org.send("GET", "spend-cap"),
    limits: await org.send("GET", "limits"),
    rates: await org.send("GET", "rate-limits"),
    customer: await org.send("GET", "customers/c1"),
    past: await explained(),
    future: await org.send("POST", "explain", { ask }),
  };
  for (const [name, { body }] of Object.entries(answers)) {
    const times = resetTimes(body).filter((time) => time !== null);
    expect([name, times.length]).not.toEqual([name, 0]);
    for (const time of times) expect([name, time]).toEqual([name, expect.stringMatching(/[+-]\d\d:\d\d$/)]);
  }
  const budget = answers.limits.body.data.find(({ kind }: { kind: string }) => kind === "budget");
  expect(budget.resets_at).toMatch(/T00:00:00\.000\+0[12]:00$/);
});

test("the ETag of the org's rate limits changes with the limits, not with what they have counted", async () => {
  const org = await newSpender();
  const set = (limit: number) =>
    call("PUT", `/v1/admin/orgs/${org.id}/rate-limits`, {
      key: operatorKey(),
      body: {
        read_rpm: 1000,
        policies: [
          { name: "p", match: {}, unit: "requests", limit, window_seconds: 3600, kind: "quota" },
          {
            name: "q",
            match: { customer_id: "*" },
            unit: "requests",
            limit,
            window_seconds: 60,
            kind: "rate",
          },
        ],
      },
    });
  const read = () => org.send("GET", "rate-limits");
  await set(1000);
  const first = await read();
  for (const customer_id of ["a", "b"]) {
    await call("POST", "/v1/edge/decision", {
      key: org.key,
      body: { customer_id, estimate: { cost_usd: "0" } },
    });
  }
  const later = await read();
  expect(later.body).not.toEqual(first.body);
  expect(later.headers.get("etag")).toBe(first.headers.get("etag"));
  await set(2000);
  expect((await read()).headers.get("etag")).not.toBe(first.headers.get("etag"));
});

test("a customer token is no console session: 403, and 401 if it is none", async () => {
  const org = await newSpender();
  const made = await org.send("POST", "customers/c1/tokens", { ttl_seconds: 60 });
  const ask = (key: string) => call("GET", "/v1/console/session", { key });
  const { token } = made.body as { token: string };
  expect((await ask(token)).body.error.code).toBe("forbidden");
  expect((await ask(`${token.slice(0, -1)}_`)).body.error.code).toBe("unauthorized");
  expect((await ask(org.key)).body.error.code).toBe("unauthorized");
});

test("a customer token says when it ends: no later than the key that made it", async () => {
  const org = await newSpender();
  const end = new Date(Date.now() + 120_000).toISOString();
  const minted = await org.send("POST", "keys", { name: "k", role: "admin", expires_at: end });
  const tokens = `/v1/orgs/${org.id}/customers/c1/tokens`;
  const make = (key: string, ttl_seconds: number) => call("POST", tokens, { key, body: { ttl_seconds } });
  const long = await make(minted.body.key, 3600);
  expect([long.status, long.body.expires_at]).toEqual([201, end]);
  const short = await make(minted.body.key, 60);
  expect(Date.parse(short.body.expires_at)).toBeLessThan(Date.parse(end));
  const free = await make(org.key, 3600);
  expect(Date.parse(free.body.expires_at)).toBeGreaterThan(Date.parse(end));
});
