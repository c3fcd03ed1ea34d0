import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { type AuditEntry, CHAIN_START, chainHash } from "../../src/domain/audit/chain.ts";
import { call, env, newOrg, operatorKey } from "../support/worker.ts";
import { AUDIT_ROWS } from "../support/logs.ts";

type AuditRow = {
  seq: number;
  at: number;
  on_behalf_of: string | null;
  target: string | null;
  address: string | null;
} & Record<"id" | "action" | "actor_kind" | "actor_id" | "trace" | "detail" | "hash", string>;

const keysOf = (org: { id: string }) => `/v1/orgs/${org.id}/keys`;

test("a new key has its role's scopes, is returned once, and is listed without its secret", async () => {
  const org = await newOrg();
  const minted = await call("POST", keysOf(org), {
    key: org.ownerKey,
    body: { name: "proxy", role: "developer" },
  });
  expect(minted.status).toBe(201);
  expect(minted.body.scopes).toContain("decisions:evaluate");
  expect(minted.body.scopes).not.toContain("budgets:write");
  const read = await call("GET", `${keysOf(org)}/${minted.body.id}`, { key: org.ownerKey });
  const { key: secret, ...rest } = minted.body;
  expect(secret).toMatch(/^svc_live_/);
  expect(read.body).toEqual(rest);
  expect(read.headers.get("etag")).toMatch(/^"/);
});

test("an admin cannot create an owner key, and no key gets a scope beyond its role", async () => {
  const org = await newOrg();
  const admin = await org.mint("admin");
  const raised = await call("POST", keysOf(org), { key: admin, body: { name: "x", role: "owner" } });
  expect([raised.status, raised.body.error.code]).toEqual([403, "forbidden"]);
  const beyond = await call("POST", keysOf(org), {
    key: org.ownerKey,
    body: { name: "x", role: "viewer", scopes: ["org:read", "budgets:write"] },
  });
  expect(beyond.body.error.details.fields).toEqual([
    expect.objectContaining({ field: "scopes[1]", code: "out_of_range" }),
  ]);
});

test("every bad field of a key is reported at once", async () => {
  const org = await newOrg();
  const bad = await call("POST", keysOf(org), {
    key: org.ownerKey,
    body: { name: "", role: "king", scopes: [], not_before: "2026-01-01", expires_at: 7, colour: "red" },
  });
  expect(
    bad.body.error.details.fields.map((f: { field: string; code: string }) => `${f.field} ${f.code}`).sort(),
  ).toEqual([
    "colour invalid_body",
    "expires_at invalid_type",
    "name empty",
    "not_before invalid_format",
    "role invalid_value",
    "scopes empty",
  ]);
});

test("a rotated key keeps its id, and the old secret works exactly for the grace period", async () => {
  const org = await newOrg({ environment: "test" });
  const old = await org.mint("viewer");
  const id = (await call("GET", `${keysOf(org)}?role=viewer`, { key: org.ownerKey })).body.data[0].id;
  const rotated = await call("POST", `${keysOf(org)}/${id}/rotate`, {
    key: org.ownerKey,
    body: { grace_seconds: 60 },
  });
  expect([rotated.status, rotated.body.id]).toEqual([200, id]);
  const get = (key: string) => call("GET", `/v1/orgs/${org.id}`, { key, from: "203.0.113.99" });
  expect([(await get(old)).status, (await get(rotated.body.key)).status]).toEqual([200, 200]);
  await call("POST", `/v1/admin/orgs/${org.id}/test-clock`, {
    key: operatorKey(),
    body: { advance_seconds: 61 },
  });
  const late = await get(old);
  expect([late.status, late.body.error.code]).toEqual([401, "unauthorized"]);
  expect((await get(rotated.body.key)).status).toBe(200);
});

test("a key that is revoked, or rotated without a grace period, is refused as soon as the call returns", async () => {
  const org = await newOrg();
  const victim = await org.mint("viewer");
  const id = (await call("GET", `${keysOf(org)}?role=viewer`, { key: org.ownerKey })).body.data[0].id;
  const get = (key: string) => call("GET", `/v1/orgs/${org.id}`, { key, from: "203.0.113.98" });
  expect((await get(victim)).status).toBe(200);
  const rotated = await call("POST", `${keysOf(org)}/${id}/rotate`, { key: org.ownerKey });
  expect((await get(victim)).status).toBe(401);
  expect((await get(rotated.body.key)).status).toBe(200);
  expect((await call("DELETE", `${keysOf(org)}/${id}`, { key: org.ownerKey })).status).toBe(204);
  expect((await get(rotated.body.key)).status).toBe(410);
  expect((await call("POST", `${keysOf(org)}/${id}/rotate`, { key: org.ownerKey })).status).toBe(409);
  expect((await call("DELETE", `${keysOf(org)}/${id}`, { key: org.ownerKey })).status).toBe(204);
});

test("If-Match that does not match is a conflict and changes nothing", async () => {
  const org = await newOrg();
  const read = await call("GET", `/v1/orgs/${org.id}`, { key: org.ownerKey });
  const rename = (name: string, tag: string) =>
    call("PATCH", `/v1/orgs/${org.id}`, { key: org.ownerKey, body: { name }, headers: { "if-match": tag } });
  const tag = read.headers.get("etag") ?? "";
  const first = await rename("One", tag);
  expect([first.status, first.body.name]).toEqual([200, "One"]);
  const stale = await rename("Two", tag);
  expect([stale.status, stale.body.error.code]).toEqual([409, "conflict"]);
  expect((await rename("Three", first.headers.get("etag") ?? "")).status).toBe(200);
});

test("every write leaves one audit entry, and the entries form a chain", async () => {
  const org = await newOrg();
  await org.mint("viewer");
  await call("PATCH", `/v1/orgs/${org.id}`, { key: org.ownerKey, body: { name: "Renamed" } });
  await call("PATCH", `/v1/orgs/${org.id}`, { key: org.ownerKey, body: { name: 7 } });
  const rows = await runInDurableObject(env.ORG.getByName(org.id), (_, state) =>
    state.storage.sql.exec<AuditRow>(`SELECT * FROM ${AUDIT_ROWS} ORDER BY seq`).toArray(),
  );
  expect(rows.map((row) => row.action)).toEqual(["org.created", "key.created", "org.updated"]);
  let previous = CHAIN_START;
  for (const row of rows) {
    const entry: AuditEntry = {
      seq: row.seq,
      id: row.id,
      at: row.at,
      action: row.action,
      actorKind: row.actor_kind,
      actorId: row.actor_id,
      onBehalfOf: row.on_behalf_of,
      target: row.target,
      outcome: "done",
      trace: row.trace,
      address: row.address,
      detail: row.detail,
    };
    previous = chainHash(previous, entry);
    expect(row.hash).toBe(previous);
  }
});

test("pages of a list stay stable while rows are inserted", async () => {
  const org = await newOrg();
  for (let i = 0; i < 6; i++) await org.mint("viewer");
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page = await call(
      "GET",
      `${keysOf(org)}?limit=2&sort=-created_at${cursor === null ? "" : `&cursor=${cursor}`}`,
      {
        key: org.ownerKey,
      },
    );
    expect(page.status).toBe(200);
    seen.push(...page.body.data.map((key: { id: string }) => key.id));
    cursor = page.body.next_cursor;
    await org.mint("viewer");
  } while (cursor !== null);
  expect(seen).toHaveLength(7);
  expect(new Set(seen).size).toBe(7);
});

test.each([
  ["limit=0", "limit", "out_of_range"],
  ["limit=201", "limit", "out_of_range"],
  ["limit=ten", "limit", "invalid_format"],
  ["limit=1&limit=2", "limit", "invalid_type"],
  ["sort=colour", "sort", "invalid_value"],
  ["cursor=nonsense", "cursor", "invalid_value"],
  ["colour=red", "colour", "unknown_parameter"],
  ["role=king", "role", "invalid_value"],
])("a list refuses ?%s, naming the parameter", async (query, field, code) => {
  const org = await newOrg();
  const answer = await call("GET", `${keysOf(org)}?${query}`, { key: org.ownerKey });
  expect(answer.status).toBe(422);
  expect(answer.body.error.details.fields).toEqual([expect.objectContaining({ field, code })]);
});

test("a cursor of one sort is refused by another", async () => {
  const org = await newOrg();
  await org.mint("viewer");
  const page = await call("GET", `${keysOf(org)}?limit=1&sort=name`, { key: org.ownerKey });
  const mixed = await call("GET", `${keysOf(org)}?sort=-name&cursor=${page.body.next_cursor}`, {
    key: org.ownerKey,
  });
  expect(mixed.body.error.details.fields[0].field).toBe("cursor");
});
