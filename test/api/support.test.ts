import { createExecutionContext } from "cloudflare:test";
import { expect, test } from "vitest";
import { createApp } from "../../src/app.ts";
import { call, env, newOrg, operatorKey, type TestOrg } from "../support/worker.ts";
import { AUDIT_ROWS } from "../support/logs.ts";

async function openGrant(org: TestOrg, fields: object = {}): Promise<string> {
  const body = { scope: "read_only", reason: "Ticket 1", expires_in_seconds: 3600, ...fields };
  const opened = await call("POST", `/v1/orgs/${org.id}/support-grants`, { key: org.ownerKey, body });
  if (opened.status !== 201) throw new Error(opened.text);
  return (opened.body as { id: string }).id;
}

async function comeIn(grantId: string): Promise<string> {
  const made = await call("POST", "/v1/admin/support-sessions", {
    key: operatorKey(),
    body: { grant_id: grantId },
  });
  if (made.status !== 201) throw new Error(made.text);
  return (made.body as { token: string }).token;
}

/** Read from the object itself, because these tests are about the trail. */
async function trail(org: TestOrg): Promise<
  {
    action: string;
    actor_kind: string;
    actor_id: string;
    on_behalf_of: string | null;
    outcome: string;
    detail: string;
  }[]
> {
  const { runInDurableObject } = await import("cloudflare:test");
  return runInDurableObject(env.ORG.getByName(org.id), (_, state) =>
    state.storage.sql
      .exec(
        `SELECT action, actor_kind, actor_id, on_behalf_of, outcome, detail FROM ${AUDIT_ROWS} WHERE action LIKE 'support.%' ORDER BY seq`,
      )
      .toArray(),
  ) as never;
}

test("only an owner opens a grant, which shows its scope, reason and expiry", async () => {
  const org = await newOrg();
  const body = { scope: "runs_debug", reason: "Ticket 7", expires_in_seconds: 60 };
  const admin = await call("POST", `/v1/orgs/${org.id}/support-grants`, {
    key: await org.mint("admin"),
    body,
  });
  expect([admin.status, admin.body.error.code]).toEqual([403, "forbidden"]);
  const opened = await call("POST", `/v1/orgs/${org.id}/support-grants`, { key: org.ownerKey, body });
  expect(opened.status).toBe(201);
  expect(opened.body).toMatchObject({
    scope: "runs_debug",
    reason: "Ticket 7",
    status: "active",
    last_used_at: null,
  });
  const listed = await call("GET", `/v1/orgs/${org.id}/support-grants`, { key: org.ownerKey });
  expect(listed.body.data).toEqual([opened.body]);
  for (const wrong of [{ scope: "everything" }, { reason: "" }, { expires_in_seconds: 0 }, { widen: true }]) {
    const refused = await call("POST", `/v1/orgs/${org.id}/support-grants`, {
      key: org.ownerKey,
      body: { ...body, ...wrong },
    });
    expect([refused.status, refused.body.error.details.fields[0].field]).toEqual([
      422,
      Object.keys(wrong)[0],
    ]);
  }
});

test("under a grant an operator can read what it covers and nothing else", async () => {
  const org = await newOrg();
  const token = await comeIn(await openGrant(org));
  expect((await call("GET", `/v1/orgs/${org.id}`, { key: token })).status).toBe(200);
  const refusals = [
    ["PATCH", `/v1/orgs/${org.id}`, "read_only", { name: "X" }],
    ["POST", `/v1/orgs/${org.id}/keys`, "read_only", { name: "k", role: "owner" }],
    ["GET", `/v1/orgs/${org.id}/keys`, "outside_scope", undefined],
    ["GET", `/v1/orgs/${org.id}/support-grants`, "outside_scope", undefined],
    [
      "POST",
      `/v1/orgs/${org.id}/support-grants`,
      "read_only",
      { scope: "read_only", reason: "x", expires_in_seconds: 9 },
    ],
    ["GET", "/v1/admin/orgs", "outside_scope", undefined],
  ] as const;
  for (const [method, path, reason, body] of refusals) {
    const refused = await call(method, path, { key: token, ...(body ? { body } : {}) });
    expect([method, path, refused.status, refused.body.error.code]).toEqual([
      method,
      path,
      403,
      "support_scope_denied",
    ]);
    expect(refused.body.error.details).toEqual({ reason, scope: "read_only", method });
  }
});

test("a grant for runs reads limits, refusals and explanations, and changes nothing", async () => {
  const org = await newOrg();
  const limit = { scope_kind: "org", limit_usd: "1", period: "month", mode: "enforce" };
  await call("POST", `/v1/orgs/${org.id}/budgets`, { key: org.ownerKey, body: limit });
  const decision = { estimate: { cost_usd: "2" } };
  const refused = await call("POST", "/v1/edge/decision", { key: org.ownerKey, body: decision });
  const trace = refused.headers.get("x-svc-trace-id");
  const token = await comeIn(await openGrant(org, { scope: "runs_debug" }));
  const reads = ["refusals", "refusals/summary", "rate-limits", "budgets", "customer-limits", "credit-packs"];
  for (const path of reads) {
    const read = await call("GET", `/v1/orgs/${org.id}/${path}`, { key: token });
    expect([path, read.status]).toEqual([path, 200]);
  }
  const explain = (key: string, body: object) => call("POST", `/v1/orgs/${org.id}/explain`, { key, body });
  expect((await explain(token, { trace_id: trace })).body).toMatchObject({ outcome: "refused" });
  expect((await explain(token, { ask: decision })).body).toMatchObject({ outcome: "refused" });
  const requests = (await trail(org)).filter(({ action }) => action === "support.request");
  expect(requests).toHaveLength(reads.length + 2);
  const write = await call("POST", `/v1/orgs/${org.id}/budgets`, { key: token, body: limit });
  expect(write.body.error.details).toMatchObject({ reason: "read_only" });
  const billing = await comeIn(await openGrant(org, { scope: "billing_read" }));
  expect((await explain(billing, { trace_id: trace })).body.error.details).toMatchObject({
    reason: "outside_scope",
  });
  const other = await newOrg();
  const foreign = await call("POST", `/v1/orgs/${other.id}/explain`, { key: token, body: { ask: decision } });
  expect(foreign.status).toBe(404);
});

test("a grant is valid for its own org only", async () => {
  const [org, other] = [await newOrg(), await newOrg()];
  const token = await comeIn(await openGrant(org));
  expect((await call("GET", `/v1/orgs/${other.id}`, { key: token })).status).toBe(404);
});

test("every request under a grant is audited with both identities, including refused ones", async () => {
  const org = await newOrg();
  const grantId = await openGrant(org);
  const token = await comeIn(grantId);
  await call("GET", `/v1/orgs/${org.id}`, { key: token });
  await call("PATCH", `/v1/orgs/${org.id}`, { key: token, body: { name: "X" } });
  await call("GET", `/v1/orgs/${org.id}?nonsense`, { key: token });
  const requests = (await trail(org)).filter(({ action }) => action === "support.request");
  expect(
    requests.map(({ outcome, detail }) => [outcome, (JSON.parse(detail) as { code: string | null }).code]),
  ).toEqual([
    ["done", null],
    ["refused", "support_scope_denied"],
    ["refused", "validation_failed"],
  ]);
  for (const entry of requests) {
    expect(entry).toMatchObject({ actor_kind: "support", actor_id: "operator", on_behalf_of: grantId });
  }
});

test("requests that reach no operation are audited too, and get the usual response", async () => {
  const org = await newOrg();
  const grantId = await openGrant(org);
  const token = await comeIn(grantId);
  const asked = [
    ["GET", `/v1/orgs/${org.id}/secrets`, 404],
    ["DELETE", `/v1/orgs/${org.id}/audit-log`, 404],
    ["GET", "/v2/anything", 404],
    ["GET", `/v1/${"x".repeat(600)}`, 404],
    ["GET", "/v1/meta/errors", 200],
    ["OPTIONS", `/v1/orgs/${org.id}`, 204],
  ] as const;
  for (const [method, path, status] of asked) {
    const answer = await call(method, path, { key: token });
    expect([path, answer.status]).toEqual([path, status]);
    if (status === 404) expect(answer.body.error.code).toBe("not_found");
  }
  await call("GET", `/v1/orgs/${org.id}`, { key: token });
  const requests = (await trail(org)).filter(({ action }) => action === "support.request");
  expect(requests).toHaveLength(asked.length + 1);
  for (const entry of requests) {
    expect(entry).toMatchObject({ actor_kind: "support", actor_id: "operator", on_behalf_of: grantId });
  }
  const details = requests.map(({ detail }) => JSON.parse(detail) as Record<string, unknown>);
  expect(details.slice(0, asked.length)).toEqual(
    asked.map(([method, , status]) =>
      expect.objectContaining({ method, status, code: status === 404 ? "not_found" : null }),
    ),
  );
  expect(details[0]).toMatchObject({ route: `/v1/orgs/${org.id}/secrets` });
  expect(String(details[3]?.["route"])).toHaveLength(256);
  expect(details[4]).toMatchObject({ route: "/v1/meta/errors" });
});

test("requests to no operation with the token of an ended grant are audited, and a forged token causes no lookup", async () => {
  const org = await newOrg();
  const grantId = await openGrant(org);
  const token = await comeIn(grantId);
  await call("DELETE", `/v1/orgs/${org.id}/support-grants/${grantId}`, { key: org.ownerKey });
  expect((await call("GET", "/v1/nowhere", { key: token })).status).toBe(404);
  const forged = `svc_support_${org.id.slice(4)}_${"0".repeat(49)}`;
  expect((await call("GET", "/v1/nowhere", { key: forged })).status).toBe(404);
  const requests = (await trail(org)).filter(({ action }) => action === "support.request");
  expect(requests).toMatchObject([{ on_behalf_of: grantId, outcome: "refused" }]);
});

test("a request that cannot be audited is not answered, on any route or none", async () => {
  const org = await newOrg();
  const token = await comeIn(await openGrant(org));
  const broken = { getByName: () => ({ execute: () => Promise.reject(new Error("out of reach")) }) };
  for (const path of ["/v1/nowhere", "/v1/meta/errors", `/v1/orgs/${org.id}`]) {
    const request = new Request(`http://sluice.test${path}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const answer = await createApp().fetch(request, { ...env, ORG: broken }, createExecutionContext());
    expect([path, answer.status]).toEqual([path, 503]);
    expect(await answer.json()).toMatchObject({ error: { code: "service_unavailable" } });
  }
});

test("requests with the token of an ended grant are refused and audited with both identities", async () => {
  const org = await newOrg({ environment: "test" });
  const grants = [await openGrant(org), await openGrant(org, { expires_in_seconds: 60 })];
  const [ended, expired] = [await comeIn(grants[0] ?? ""), await comeIn(grants[1] ?? "")];
  await call("DELETE", `/v1/orgs/${org.id}/support-grants/${grants[0]}`, { key: org.ownerKey });
  const body = { advance_seconds: 61 };
  await call("POST", `/v1/admin/orgs/${org.id}/test-clock`, { key: operatorKey(), body });
  await call("GET", `/v1/orgs/${org.id}/budgets`, { key: ended });
  await call("PATCH", `/v1/orgs/${org.id}`, { key: expired, body: { name: "X" } });
  const requests = (await trail(org)).filter(({ action }) => action === "support.request");
  expect(requests).toMatchObject([
    { actor_kind: "support", actor_id: "operator", on_behalf_of: grants[0], outcome: "refused" },
    { actor_kind: "support", actor_id: "operator", on_behalf_of: grants[1], outcome: "refused" },
  ]);
  expect(requests.map(({ detail }) => JSON.parse(detail))).toMatchObject([
    { method: "GET", route: "/v1/orgs/{id}/budgets", status: 410, code: "gone" },
    { method: "PATCH", route: "/v1/orgs/{id}", status: 401, code: "key_expired" },
  ]);
  const listed = await call("GET", `/v1/orgs/${org.id}/support-grants`, { key: org.ownerKey });
  expect(listed.body.data.map((grant: { last_used_at: string | null }) => grant.last_used_at)).toEqual([
    null,
    null,
  ]);
});

test("a closed grant stops working immediately", async () => {
  const org = await newOrg();
  const grantId = await openGrant(org);
  const token = await comeIn(grantId);
  const closed = await call("DELETE", `/v1/orgs/${org.id}/support-grants/${grantId}`, { key: org.ownerKey });
  expect(closed.status).toBe(204);
  expect((await call("GET", `/v1/orgs/${org.id}`, { key: token })).body.error.code).toBe("gone");
  const again = await call("POST", "/v1/admin/support-sessions", {
    key: operatorKey(),
    body: { grant_id: grantId },
  });
  expect([again.status, again.body.error.code]).toEqual([409, "conflict"]);
});

test("an expired grant no longer works", async () => {
  const org = await newOrg({ environment: "test" });
  const token = await comeIn(await openGrant(org, { expires_in_seconds: 60 }));
  await call("POST", `/v1/admin/orgs/${org.id}/test-clock`, {
    key: operatorKey(),
    body: { advance_seconds: 61 },
  });
  const refused = await call("GET", `/v1/orgs/${org.id}`, { key: token });
  expect([refused.status, refused.body.error.code]).toEqual([401, "key_expired"]);
  expect((await trail(org)).map(({ action }) => action)).toContain("support.grant_expired");
});

test("only an operator opens a support session, and only under an existing grant", async () => {
  const org = await newOrg();
  const grantId = await openGrant(org);
  const owner = await call("POST", "/v1/admin/support-sessions", {
    key: org.ownerKey,
    body: { grant_id: grantId },
  });
  expect([owner.status, owner.body.error.code]).toEqual([403, "forbidden"]);
  const unknown = { grant_id: "grt_01ARZ3NDEKTSV4RRFFQ69G5FAV" };
  expect(
    (await call("POST", "/v1/admin/support-sessions", { key: operatorKey(), body: unknown })).status,
  ).toBe(404);
  const forged = `svc_support_${org.id.slice(4)}_${"0".repeat(49)}`;
  expect((await call("GET", `/v1/orgs/${org.id}`, { key: forged, from: "203.0.113.88" })).status).toBe(401);
});

test("the org sees that support has access from its first use until the grant ends", async () => {
  const org = await newOrg();
  const presence = async () =>
    (await call("GET", `/v1/orgs/${org.id}/support-presence`, { key: org.ownerKey })).body.grant;
  const grantId = await openGrant(org, { reason: "Ticket 9" });
  expect(await presence()).toBeNull();
  await call("GET", `/v1/orgs/${org.id}`, { key: await comeIn(grantId) });
  expect(await presence()).toMatchObject({ id: grantId, reason: "Ticket 9" });
  await call("DELETE", `/v1/orgs/${org.id}/support-grants/${grantId}`, { key: org.ownerKey });
  expect(await presence()).toBeNull();
});

test("support reads customers without what they pay", async () => {
  const org = await newOrg();
  const path = `/v1/orgs/${org.id}/customers/acme`;
  const body = { revenue: { usd_per_month: "300" } };
  const set = await call("PUT", path, { key: org.ownerKey, body });
  expect([set.status, set.text.includes("300.00")]).toEqual([200, true]);
  const token = await comeIn(await openGrant(org));
  const seen = await call("GET", path, { key: token });
  expect([seen.status, /revenue|margin/.test(seen.text)]).toEqual([200, false]);
});
