import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { PLATFORM_ORG_ID } from "../../../src/contract/platform-org.ts";
import { isRefusal } from "../../../src/contract/refusal.ts";
import type { Envelope } from "../../../src/org/kernel/door.ts";
import { call, env, newOrg, operatorKey, type TestOrg } from "../../support/worker.ts";
import { AUDIT_ROWS, EVENT_ROWS } from "../../support/logs.ts";
import { evict } from "../../support/evict.ts";

const mint = (org: TestOrg, key: string, body: object = { name: "a", role: "viewer" }, path = "") =>
  call("POST", `/v1/orgs/${org.id}/keys${path}`, {
    key: org.ownerKey,
    body,
    headers: { "idempotency-key": key },
  });
const keyCount = async (org: TestOrg): Promise<number> =>
  (await call("GET", `/v1/orgs/${org.id}/keys?limit=200`, { key: org.ownerKey })).body.data.length;

test("a replay is byte-identical to the first response and marked as a replay", async () => {
  const org = await newOrg();
  const first = await mint(org, "k1");
  const again = await mint(org, "k1");
  expect([again.status, again.text]).toEqual([201, first.text]);
  expect(again.headers.get("etag")).toBe(first.headers.get("etag"));
  expect([first.headers.get("idempotent-replayed"), again.headers.get("idempotent-replayed")]).toEqual([
    null,
    "true",
  ]);
  expect(await keyCount(org)).toBe(2);
});

test("the same key with another body, or another query, is a conflict and does nothing", async () => {
  const org = await newOrg();
  await mint(org, "k1");
  const other = await mint(org, "k1", { name: "b", role: "viewer" });
  expect([other.status, other.body.error.code]).toEqual([409, "idempotency_key_conflict"]);
  const query = await mint(org, "k1", { name: "a", role: "viewer" }, "?x=1");
  expect([query.status, query.body.error.code]).toEqual([409, "idempotency_key_conflict"]);
  expect(await keyCount(org)).toBe(2);
});

test("a hundred concurrent calls with one key create one resource", async () => {
  const org = await newOrg();
  const answers = await Promise.all(Array.from({ length: 100 }, () => mint(org, "same")));
  const made = answers.filter((answer) => answer.status === 201);
  expect(new Set(made.map((answer) => answer.text)).size).toBe(1);
  expect(answers.filter((answer) => answer.status !== 201).map((answer) => answer.body.error.code)).toEqual(
    [],
  );
  expect(await keyCount(org)).toBe(2);
});

test("a hundred concurrent calls with one key create one org, across two stores", async () => {
  const create = () =>
    call("POST", "/v1/admin/orgs", {
      key: operatorKey(),
      body: { name: "Once" },
      headers: { "idempotency-key": "create-once" },
    });
  const answers = await Promise.all(Array.from({ length: 100 }, create));
  const made = answers.filter((answer) => answer.status === 201);
  const busy = answers.filter((answer) => answer.status !== 201);
  expect(made.length).toBeGreaterThan(0);
  expect(new Set(made.map((answer) => answer.text)).size).toBe(1);
  expect(busy.every((answer) => answer.body.error.code === "idempotency_key_processing")).toBe(true);
  const listed = await call("GET", "/v1/admin/orgs?limit=200", { key: operatorKey() });
  expect(listed.body.data.filter((org: { name: string }) => org.name === "Once")).toHaveLength(1);
  expect((await create()).text).toBe(made[0]?.text);
});

test("the record survives the object's eviction", async () => {
  const org = await newOrg();
  const first = await mint(org, "k1");
  await evict(env.ORG.getByName(org.id));
  const again = await mint(org, "k1");
  expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([
    201,
    first.text,
    "true",
  ]);
});

test("a key that is too long or not printable is refused, naming the header", async () => {
  const org = await newOrg();
  const refused = await mint(org, "x".repeat(256));
  expect(refused.status).toBe(422);
  expect(refused.body.error.details.fields[0].field).toBe("idempotency-key");
});

test("a permanent refusal is replayed; a refusal that can be fixed is tried again", async () => {
  const org = await newOrg();
  const suspend = () =>
    call("POST", `/v1/admin/orgs/${org.id}/resume`, {
      key: operatorKey(),
      headers: { "idempotency-key": "r" },
    });
  const first = await suspend();
  const again = await suspend();
  expect([first.status, again.status, again.text]).toEqual([409, 409, first.text]);
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  const admin = await org.mint("admin");
  const asAdmin = () =>
    call("POST", `/v1/orgs/${org.id}/keys`, {
      key: admin,
      body: { name: "o", role: "owner" },
      headers: { "idempotency-key": "o" },
    });
  expect((await asAdmin()).headers.get("idempotent-replayed")).toBeNull();
  expect((await asAdmin()).headers.get("idempotent-replayed")).toBeNull();
});

const envelope = (fence: number | null): Envelope => ({
  actor: { kind: "operator", id: "operator", role: "operator", onBehalfOf: null, address: null },
  trace: "test",
  idempotency: { key: "stalled", method: "POST", path: "/v1/test", digest: "d", fence },
  ifMatch: null,
});

test("a stalled call that resumes after its takeover changes nothing and gets the second call's response", async () => {
  const org = await newOrg({ environment: "test" });
  const stub = env.ORG.getByName(org.id);
  const first = await stub.reserve(envelope(null));
  if (!("fence" in first)) throw new Error("not reserved");
  const meanwhile = await stub.reserve(envelope(null));
  expect("outcome" in meanwhile && isRefusal(meanwhile.outcome) && meanwhile.outcome.code).toBe(
    "idempotency_key_processing",
  );
  await call("POST", `/v1/admin/orgs/${org.id}/test-clock`, {
    key: operatorKey(),
    body: { advance_seconds: 61 },
  });
  const second = await stub.reserve(envelope(null));
  if (!("fence" in second)) throw new Error("not taken over");
  expect([second.fence, second.seed]).toEqual([first.fence + 1, first.seed]);
  const newKey = { name: "late", role: "viewer", scopes: ["org:read"], notBefore: null, expiresAt: null };
  const lateTooSoon = await stub.execute("mintKey", newKey, envelope(first.fence));
  expect(isRefusal(lateTooSoon) && lateTooSoon.code).toBe("idempotency_key_processing");
  const made = await stub.execute("mintKey", newKey, envelope(second.fence));
  const late = await stub.execute("mintKey", newKey, envelope(first.fence));
  if (isRefusal(made) || isRefusal(late)) throw new Error("refused");
  expect([late.text, late.replayed]).toEqual([made.text, true]);
  expect(await keyCount(org)).toBe(2);
});

test("a stalled call takes nothing over itself, however long the call that took over from it stalls", async () => {
  const org = await newOrg({ environment: "test" });
  const stub = env.ORG.getByName(org.id);
  const advance = () =>
    call("POST", `/v1/admin/orgs/${org.id}/test-clock`, {
      key: operatorKey(),
      body: { advance_seconds: 61 },
    });
  const first = await stub.reserve(envelope(null));
  if (!("fence" in first)) throw new Error("not reserved");
  await advance();
  expect("fence" in (await stub.reserve(envelope(null)))).toBe(true);
  await advance();
  const newKey = { name: "late", role: "viewer", scopes: ["org:read"], notBefore: null, expiresAt: null };
  const late = await stub.execute("mintKey", newKey, envelope(first.fence));
  expect(isRefusal(late) && late.code).toBe("idempotency_key_processing");
  expect(await keyCount(org)).toBe(1);
});

test("a stalled call whose record is gone does nothing", async () => {
  const org = await newOrg({ environment: "test" });
  const stub = env.ORG.getByName(org.id);
  const first = await stub.reserve(envelope(null));
  if (!("fence" in first)) throw new Error("not reserved");
  await runInDurableObject(stub, (_, state) => void state.storage.sql.exec("DELETE FROM idempotency"));
  const newKey = { name: "late", role: "viewer", scopes: ["org:read"], notBefore: null, expiresAt: null };
  const late = await stub.execute("mintKey", newKey, envelope(first.fence));
  expect(isRefusal(late) && late.code).toBe("idempotency_key_processing");
  expect(await keyCount(org)).toBe(1);
});

test("a crashed creation of an org is taken over and results in the same org", async () => {
  const platform = env.ORG.getByName(PLATFORM_ORG_ID);
  const body = JSON.stringify({ name: "Taken over" });
  const create = () =>
    call("POST", "/v1/admin/orgs", { key: operatorKey(), body, headers: { "idempotency-key": "crash" } });
  const whole = await create();
  // The state if the Worker had died two minutes ago, after the org was opened and before the response was recorded.
  await runInDurableObject(platform, (_, state) => {
    state.storage.sql.exec(
      "UPDATE idempotency SET status = NULL, sealed = NULL, etag = NULL, reserved_at = reserved_at - 120000 WHERE key = 'crash'",
    );
  });
  const retried = await create();
  expect(retried.status).toBe(201);
  expect(retried.body.org).toEqual(whole.body.org);
  expect(retried.body.owner_key).not.toBe(whole.body.owner_key);
  const works = await call("GET", `/v1/orgs/${retried.body.org.id}`, { key: retried.body.owner_key });
  expect(works.status).toBe(200);
});

test("no stored response contains a secret in plain text", async () => {
  const org = await newOrg();
  const minted = await mint(org, "k1");
  const rows = await runInDurableObject(env.ORG.getByName(org.id), (_, state) =>
    JSON.stringify([
      state.storage.sql.exec("SELECT * FROM idempotency").toArray(),
      state.storage.sql.exec("SELECT * FROM keys").toArray(),
      state.storage.sql.exec(`SELECT * FROM ${AUDIT_ROWS}`).toArray(),
      state.storage.sql.exec(`SELECT * FROM ${EVENT_ROWS}`).toArray(),
    ]),
  );
  expect(rows).not.toContain(minted.body.key);
  expect(rows).not.toContain(minted.body.key.slice(-49, -6));
  expect(rows).not.toContain(org.ownerKey);
});
