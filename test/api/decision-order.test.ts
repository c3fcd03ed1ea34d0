import { describe, expect, test, vi } from "vitest";
import { rowsOf } from "../support/rows.ts";
import { call, type CallOptions, env, newOrg, operatorKey, type TestOrg } from "../support/worker.ts";
import { useRealLives } from "../support/lives.ts";
import { PATIENT } from "../support/patience.ts";

useRealLives();

const DECISION = "/v1/edge/decision";
const ROUTE = `POST ${DECISION}`;
const GOOD = { estimate: { cost_usd: "0.01" } };
const LARGE = JSON.stringify({ ...GOOD, model: "m".repeat(20_000) });

function sized(body: string): CallOptions {
  return { body, headers: { "content-type": "application/json", "content-length": String(body.length) } };
}

const MALFORMED: Record<string, { status: number; options: () => CallOptions }> = {
  "a body that is too large": { status: 413, options: () => sized(LARGE) },
  "a body that is too large and does not say so": {
    status: 413,
    options: () => ({ stream: new Blob([LARGE]).stream() }),
  },
  "another media type": {
    status: 422,
    options: () => ({ body: GOOD, headers: { "content-type": "text/plain" } }),
  },
  "no JSON": { status: 422, options: () => sized("{") },
  "no object": { status: 422, options: () => sized("[1]") },
  "an unknown field": { status: 422, options: () => sized(JSON.stringify({ ...GOOD, surprise: 1 })) },
  "no estimate": { status: 422, options: () => sized("{}") },
  "a model that has no price": {
    status: 422,
    options: () => sized(JSON.stringify({ model: "m", estimate: { input_tokens: 1 } })),
  },
};

async function limitedOrg(limit: number, more: object = {}): Promise<TestOrg> {
  const org = await newOrg();
  const policy = { name: "p", match: { route: ROUTE }, unit: "requests", limit, window_seconds: 3600 };
  await call("PUT", `/v1/admin/orgs/${org.id}/rate-limits`, {
    key: operatorKey(),
    body: { read_rpm: null, policies: [{ ...policy, kind: "rate", ...more }] },
  });
  return org;
}

function ask(org: TestOrg, options: CallOptions = { body: GOOD }) {
  return call("POST", DECISION, { key: org.ownerKey, ...options });
}

/** Uses up the limit as other isolates would: this one is not told. */
async function useUpElsewhere(org: TestOrg, requests: number): Promise<void> {
  const object = env.ORG.getByName(org.id);
  for (let sent = 0; sent < requests; sent += 1) {
    const verdict = await object.admitRequest({ route: ROUTE, keyId: "key_elsewhere" });
    expect(verdict?.refusal).toBeNull();
  }
}

async function counted(org: TestOrg): Promise<number> {
  const rows = await rowsOf<{ sum: number }>(
    org.id,
    "SELECT TOTAL(t.value ->> 1) AS sum FROM rate_counts AS c, json_each(c.taken) AS t",
  );
  return rows[0]?.sum ?? 0;
}

describe.each(Object.entries(MALFORMED))("a decision with %s", (_, { status, options }) => {
  test("is refused by a full rate limit first, in an isolate that does not know the limit", async () => {
    const org = await limitedOrg(2);
    await useUpElsewhere(org, 2);
    const refused = await ask(org, options());
    expect([refused.status, refused.body.error.code]).toEqual([429, "rate_limited"]);
    expect(refused.headers.get("retry-after")).not.toBeNull();
    expect(refused.headers.get("x-svc-decided")).toBe("object");
    // Now it knows.
    const again = await ask(org, options());
    expect([again.status, again.headers.get("x-svc-decided")]).toEqual([429, "edge"]);
    expect(await counted(org)).toBe(2);
  });

  test("counts as a request, once", async () => {
    const org = await limitedOrg(3);
    expect((await ask(org, options())).status).toBe(status);
    expect(await counted(org)).toBe(1);
    expect((await ask(org, options())).status).toBe(status);
    expect((await ask(org)).status).toBe(200);
    expect((await ask(org)).status).toBe(429);
    expect(await counted(org)).toBe(3);
  });
});

test("a well-formed decision counts once, on every path", async () => {
  const org = await limitedOrg(3);
  expect((await ask(org)).status).toBe(200);
  expect(await counted(org)).toBe(1);
  expect((await ask(org, sized(JSON.stringify(GOOD)))).status).toBe(200);
  expect(await counted(org)).toBe(2);
  const odd = { body: GOOD, headers: { "content-type": "application/json; charset=utf-8" } };
  expect((await ask(org, odd)).status).toBe(200);
  expect(await counted(org)).toBe(3);
});

test("a quota of requests counts malformed decisions, and says when it resets", async () => {
  const org = await limitedOrg(1, { kind: "quota" });
  expect((await ask(org, sized("{"))).status).toBe(422);
  const refused = await ask(org, sized("{"));
  expect([refused.status, refused.body.error.code]).toEqual([429, "quota_exhausted"]);
});

test("malformed decisions in steady traffic are counted from slices and never exceed the limit", async () => {
  const limit = 20_000;
  const org = await limitedOrg(limit);
  const bad = async () => (await ask(org, sized("{"))).status;
  let sent = 0;
  await vi.waitUntil(
    async () => {
      sent += 8;
      expect(new Set(await Promise.all(Array.from({ length: 8 }, bad)))).toEqual(new Set([422]));
      return (await counted(org)) < sent;
    },
    { ...PATIENT, interval: 1 },
  );
  await vi.waitUntil(async () => (await counted(org)) === sent, PATIENT);
});

test("a dry run for a model without a price takes nothing", async () => {
  const org = await limitedOrg(3);
  const body = { model: "m", estimate: { input_tokens: 1 }, dry_run: true };
  expect((await ask(org, { body })).status).toBe(422);
  expect(await counted(org)).toBe(0);
});
