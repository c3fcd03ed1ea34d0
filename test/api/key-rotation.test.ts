import { expect, test } from "vitest";
import { rowsOf } from "../support/rows.ts";
import { call, newOrg, operatorKey, type TestOrg } from "../support/worker.ts";

/** Every replaced secret works for its own grace period. */

async function newKey(org: TestOrg) {
  const path = `/v1/orgs/${org.id}/keys`;
  const minted = await call("POST", path, { key: org.ownerKey, body: { name: "k", role: "viewer" } });
  const { id, key } = minted.body as { id: string; key: string };
  return {
    id,
    key,
    async rotate(graceSeconds: number) {
      const body = { grace_seconds: graceSeconds };
      return call("POST", `${path}/${id}/rotate`, { key: org.ownerKey, body });
    },
    revoke: () => call("DELETE", `${path}/${id}`, { key: org.ownerKey }),
  };
}

/** Each from its own address, because these tests are not about back-off. */
let callers = 100;
const statusesOf = async (org: TestOrg, keys: readonly string[]) => {
  const from = `203.0.113.${(callers += 1)}`;
  const statuses: number[] = [];
  for (const key of keys) statuses.push((await call("GET", `/v1/orgs/${org.id}`, { key, from })).status);
  return statuses;
};

async function advance(org: TestOrg, seconds: number): Promise<void> {
  const body = { advance_seconds: seconds };
  await call("POST", `/v1/admin/orgs/${org.id}/test-clock`, { key: operatorKey(), body });
}

test("a key rotated again within its grace keeps each secret for its own grace", async () => {
  const org = await newOrg({ environment: "test" });
  const key = await newKey(org);
  const second = await key.rotate(600);
  const third = await key.rotate(60);
  const fourth = await key.rotate(0);
  const secrets = [key.key, second.body.key, third.body.key, fourth.body.key];
  expect(await statusesOf(org, secrets)).toEqual([200, 200, 401, 200]);
  await advance(org, 61);
  expect(await statusesOf(org, secrets)).toEqual([200, 401, 401, 200]);
  await advance(org, 540);
  expect(await statusesOf(org, secrets)).toEqual([401, 401, 401, 200]);
});

test("a key shows until when the last of its replaced secrets works", async () => {
  const org = await newOrg({ environment: "test" });
  const key = await newKey(org);
  const shown = async () =>
    (await call("GET", `/v1/orgs/${org.id}/keys/${key.id}`, { key: org.ownerKey })).body;
  const { previous_expires_at: end } = (await key.rotate(600)).body;
  expect(end).not.toBeNull();
  for (const grace of [60, 0]) {
    expect((await key.rotate(grace)).body.previous_expires_at).toBe(end);
    expect((await shown()).previous_expires_at).toBe(end);
  }
  await advance(org, 601);
  expect((await key.rotate(0)).body.previous_expires_at).toBeNull();
});

test("a revocation ends every secret of the key at once", async () => {
  const org = await newOrg();
  const key = await newKey(org);
  const second = await key.rotate(600);
  const third = await key.rotate(600);
  const secrets = [key.key, second.body.key, third.body.key];
  expect(await statusesOf(org, secrets)).toEqual([200, 200, 200]);
  expect((await key.revoke()).status).toBe(204);
  expect(await statusesOf(org, secrets)).toEqual([410, 410, 410]);
});

test("a key has at most ten replaced secrets: the next rotation is refused unless it has no grace period", async () => {
  const org = await newOrg({ environment: "test" });
  const key = await newKey(org);
  const secrets = [key.key];
  for (let i = 0; i < 10; i++) secrets.push((await key.rotate(600)).body.key);
  const refused = await key.rotate(600);
  expect([refused.status, refused.body.error.code]).toEqual([409, "conflict"]);
  expect(refused.body.error.message).toContain("grace_seconds");
  const last = secrets.at(-1) ?? "";
  expect(await statusesOf(org, [secrets[0] ?? "", last])).toEqual([200, 200]);
  const urgent = await key.rotate(0);
  expect(await statusesOf(org, [secrets[0] ?? "", last, urgent.body.key])).toEqual([200, 401, 200]);
  await advance(org, 601);
  expect((await key.rotate(600)).status).toBe(200);
  const rows = await rowsOf(org.id, "SELECT * FROM previous_secrets WHERE key_id = ?", key.id);
  expect(rows).toHaveLength(1);
});
