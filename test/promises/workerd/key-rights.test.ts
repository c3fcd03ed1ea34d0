import { expect, test } from "vitest";
import { scopesOf } from "../../../src/contract/access.ts";
import { call, newOrg, operatorKey, type TestOrg } from "../../support/worker.ts";

/** What a key can do to other keys, and what it can pass on: never more than it has itself. */

interface Minted {
  readonly id: string;
  readonly key: string;
  readonly scopes: string[];
  readonly expires_at: string | null;
}

const keysOf = (org: { id: string }) => `/v1/orgs/${org.id}/keys`;
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();

const ask = (org: TestOrg, key: string, body: object) =>
  call("POST", keysOf(org), { key, body: { name: "k", ...body } });

async function mint(org: TestOrg, body: object, key = org.ownerKey): Promise<Minted> {
  const answer = await ask(org, key, body);
  if (answer.status !== 201) throw new Error(`no key: ${answer.status} ${answer.text}`);
  return answer.body;
}

async function ownerIdOf(org: TestOrg): Promise<string> {
  const list = await call("GET", `${keysOf(org)}?role=owner&sort=created_at`, { key: org.ownerKey });
  return list.body.data[0].id;
}

const rotate = (org: TestOrg, id: string, key: string, more: object = {}) =>
  call("POST", `${keysOf(org)}/${id}/rotate`, { key, ...more });
const revoke = (org: TestOrg, id: string, key: string) => call("DELETE", `${keysOf(org)}/${id}`, { key });
const worksFor = async (org: TestOrg, key: string) =>
  (await call("GET", `/v1/orgs/${org.id}`, { key, from: "203.0.113.40" })).status;

test("an admin can manage all keys except an owner's", async () => {
  const org = await newOrg();
  const owner = await ownerIdOf(org);
  const admin = await mint(org, { role: "admin" });
  for (const refused of [await rotate(org, owner, admin.key), await revoke(org, owner, admin.key)]) {
    expect([refused.status, refused.body.error.code]).toEqual([403, "forbidden"]);
  }
  expect(await worksFor(org, org.ownerKey)).toBe(200);
  const other = await mint(org, { role: "admin" });
  expect((await rotate(org, other.id, admin.key)).status).toBe(200);
  expect((await revoke(org, other.id, admin.key)).status).toBe(204);
});

test("the operator can rotate an owner's key", async () => {
  const org = await newOrg();
  const rotated = await rotate(org, await ownerIdOf(org), operatorKey());
  expect(rotated.status).toBe(200);
  expect(await worksFor(org, rotated.body.key)).toBe(200);
});

test("no one can revoke the last owner key; expired and future owner keys do not count", async () => {
  const org = await newOrg({ environment: "test" });
  const last = await ownerIdOf(org);
  const brief = await mint(org, { role: "owner", expires_at: inSeconds(60) });
  const future = await mint(org, { role: "owner", not_before: inSeconds(86_400 * 365) });
  const key = operatorKey();
  await call("POST", `/v1/admin/orgs/${org.id}/test-clock`, { key, body: { advance_seconds: 61 } });
  for (const by of [org.ownerKey, key]) {
    const refused = await revoke(org, last, by);
    expect([refused.status, refused.body.error.code]).toEqual([409, "conflict"]);
    expect(refused.body.error.message).toContain("owner");
  }
  expect(await worksFor(org, org.ownerKey)).toBe(200);
  expect((await revoke(org, brief.id, key)).status).toBe(204);
  expect((await revoke(org, future.id, key)).status).toBe(204);
  const second = await mint(org, { role: "owner" });
  expect((await revoke(org, last, second.key)).status).toBe(204);
  expect((await revoke(org, last, second.key)).status).toBe(204);
});

test("if two owners revoke each other at once, one remains", async () => {
  const org = await newOrg();
  const first = { id: await ownerIdOf(org), key: org.ownerKey };
  const second = await mint(org, { role: "owner" });
  const answers = await Promise.all([revoke(org, second.id, first.key), revoke(org, first.id, second.key)]);
  const statuses = answers.map(({ status }) => status);
  expect(statuses).toContain(204);
  expect(statuses.filter((status) => status === 204)).toHaveLength(1);
  const working = [await worksFor(org, first.key), await worksFor(org, second.key)];
  expect(working.toSorted((a, b) => a - b)).toEqual([200, 410]);
});

test("a new key has at most the scopes of the key that creates it", async () => {
  const org = await newOrg();
  const narrow = await mint(org, { role: "owner", scopes: ["keys:write", "runs:read"] });
  const beyond = await ask(org, narrow.key, { role: "viewer", scopes: ["runs:read", "org:read"] });
  expect([beyond.status, beyond.body.error.code]).toEqual([403, "missing_scope"]);
  expect(beyond.body.error.details.required).toBe("org:read");
  const child = await mint(org, { role: "admin" }, narrow.key);
  expect(child.scopes.toSorted()).toEqual(["keys:write", "runs:read"]);
  expect((await mint(org, { role: "developer" })).scopes).toEqual(scopesOf("developer"));
});

test("a key without any scope of a role cannot create a key with that role", async () => {
  const org = await newOrg();
  const narrow = await mint(org, { role: "admin", scopes: ["keys:write"] });
  const refused = await ask(org, narrow.key, { role: "viewer" });
  expect([refused.status, refused.body.error.code]).toEqual([403, "missing_scope"]);
  expect(scopesOf("viewer")).toContain(refused.body.error.details.required);
});

test("a new key expires no later than the key that creates it", async () => {
  const org = await newOrg();
  const brief = await mint(org, { role: "admin", expires_at: inSeconds(600) });
  const later = await ask(org, brief.key, { role: "viewer", expires_at: inSeconds(601) });
  expect(later.body.error.details.fields).toEqual([
    expect.objectContaining({ field: "expires_at", code: "out_of_range" }),
  ]);
  expect((await mint(org, { role: "viewer" }, brief.key)).expires_at).toBe(brief.expires_at);
  const sooner = inSeconds(60);
  expect((await mint(org, { role: "viewer", expires_at: sooner }, brief.key)).expires_at).toBe(sooner);
  const never = await ask(org, brief.key, { role: "viewer", not_before: inSeconds(601) });
  expect(never.body.error.details.fields[0].field).toBe("not_before");
  expect((await mint(org, { role: "viewer" })).expires_at).toBeNull();
});

test("a replaced secret cannot create anything that outlives its grace period", async () => {
  const org = await newOrg();
  const admin = await mint(org, { role: "admin" });
  const rotated = await rotate(org, admin.id, org.ownerKey, { body: { grace_seconds: 600 } });
  const child = await mint(org, { role: "viewer" }, admin.key);
  expect(child.expires_at).toBe(rotated.body.previous_expires_at);
  const again = await rotate(org, admin.id, admin.key);
  expect([again.status, again.body.error.code]).toEqual([403, "forbidden"]);
  expect((await rotate(org, admin.id, rotated.body.key)).status).toBe(200);
});

test("a key cannot rotate a key with more scopes or a later expiry", async () => {
  const org = await newOrg();
  const wide = await mint(org, { role: "viewer" });
  const narrow = await mint(org, { role: "admin", scopes: ["keys:write", "org:read"] });
  const lacking = await rotate(org, wide.id, narrow.key);
  expect([lacking.status, lacking.body.error.code]).toEqual([403, "missing_scope"]);
  expect(wide.scopes).toContain(lacking.body.error.details.required);
  const brief = await mint(org, { role: "admin", expires_at: inSeconds(600) });
  const outlived = await rotate(org, wide.id, brief.key);
  expect([outlived.status, outlived.body.error.code]).toEqual([403, "forbidden"]);
  expect(await worksFor(org, wide.key)).toBe(200);
  expect((await rotate(org, narrow.id, narrow.key)).status).toBe(200);
  expect((await rotate(org, brief.id, brief.key)).status).toBe(200);
});

test("an idempotency key never replays a secret to a caller who is not allowed to create it", async () => {
  const org = await newOrg();
  const narrow = await mint(org, { role: "admin", scopes: ["keys:write"] });
  const headers = { "idempotency-key": "monthly-rotation" };
  const owner = await ownerIdOf(org);
  const rotated = await rotate(org, owner, org.ownerKey, { headers, body: { grace_seconds: 600 } });
  const peek = await rotate(org, owner, narrow.key, { headers, body: { grace_seconds: 600 } });
  expect([peek.status, peek.body.error.code]).toEqual([403, "forbidden"]);
  const replayed = await rotate(org, owner, rotated.body.key, { headers, body: { grace_seconds: 600 } });
  expect(replayed.text).toBe(rotated.text);
  const body = { name: "n", role: "developer" };
  const minted = await call("POST", keysOf(org), { key: rotated.body.key, headers, body });
  const stolen = await call("POST", keysOf(org), { key: narrow.key, headers, body });
  expect([stolen.status, stolen.body.error.code]).toEqual([403, "missing_scope"]);
  expect(minted.status).toBe(201);
});

test.each([
  ["sso", { kind: "oidc", issuer: "https://idp.example", client_id: "c", client_secret: "s" }],
  ["residency", { regions: null }],
])("an owner key without all scopes cannot set %s", async (setting, body) => {
  const org = await newOrg();
  const all = scopesOf("owner");
  const set = (key: string) => call("PUT", `/v1/orgs/${org.id}/${setting}`, { key, body });
  const writer = await mint(org, { role: "owner", scopes: ["org:write"] });
  const refused = await set(writer.key);
  expect([refused.status, refused.body.error.code]).toEqual([403, "missing_scope"]);
  expect(all).toContain(refused.body.error.details.required);
  const almost = await mint(org, { role: "owner", scopes: all.filter((scope) => scope !== "runs:read") });
  expect((await set(almost.key)).body.error.details).toEqual({ required: "runs:read" });
  expect((await set((await mint(org, { role: "owner", scopes: all })).key)).status).toBe(200);
  expect((await set(org.ownerKey)).status).toBe(200);
});

test("an owner key without support:write cannot open a support grant", async () => {
  const org = await newOrg();
  const writer = await mint(org, { role: "owner", scopes: ["org:write"] });
  const body = { scope: "read_only", reason: "r", expires_in_seconds: 60 };
  const refused = await call("POST", `/v1/orgs/${org.id}/support-grants`, { key: writer.key, body });
  expect(refused.body.error.details).toEqual({ required: "support:write" });
});

test("a key that is already expired by the org's clock is not created", async () => {
  const org = await newOrg({ environment: "test" });
  const past = await ask(org, org.ownerKey, { role: "viewer", expires_at: "2020-01-01T00:00:00Z" });
  expect(past.body.error.details.fields).toEqual([
    expect.objectContaining({ field: "expires_at", code: "out_of_range" }),
  ]);
  const key = operatorKey();
  await call("POST", `/v1/admin/orgs/${org.id}/test-clock`, { key, body: { advance_seconds: 120 } });
  expect((await ask(org, org.ownerKey, { role: "viewer", expires_at: inSeconds(60) })).status).toBe(422);
  expect((await ask(org, org.ownerKey, { role: "viewer", expires_at: inSeconds(180) })).status).toBe(201);
});
