import { expect, test, vi } from "vitest";
import { rowsOf } from "../../support/rows.ts";
import { signedIn } from "../../support/session.ts";
import { slowBody } from "../../support/slow-body.ts";
import { SNAPSHOT } from "../../../src/gate/snapshot/snapshot.ts";
import { OrgDoor } from "../../../src/edge/object/org-door.ts";
import { type Answer, call, env, newOrg, operatorKey, serve, type TestOrg } from "../../support/worker.ts";
import { BUSY_MS, lengthenLives, useRealLives } from "../../support/lives.ts";
import { AUDIT_ROWS } from "../../support/logs.ts";
import { PATIENT } from "../../support/patience.ts";

useRealLives();

/** A right that a caller loses while the body of a call arrives is gone before the call takes effect. */

interface Victim {
  readonly id: string;
  readonly key: string;
}

const BUDGET = { scope_kind: "org", limit_usd: "1", period: "month", mode: "enforce" };
const DECISION = { estimate: { cost_usd: "0.01" } };
const run = () => ({
  started_at: new Date().toISOString(),
  model: "m",
  usage: { input_tokens: 1, output_tokens: 1 },
  cost_usd: "0.01",
});

async function victimOf(org: TestOrg): Promise<Victim> {
  const body = { name: "victim", role: "admin" };
  const minted = await call("POST", `/v1/orgs/${org.id}/keys`, { key: org.ownerKey, body });
  const victim = { id: minted.body.id, key: minted.body.key };
  expect((await call("GET", `/v1/orgs/${org.id}`, { key: victim.key })).status).toBe(200);
  return victim;
}

const revoke = (org: TestOrg, { id }: Victim) =>
  call("DELETE", `/v1/orgs/${org.id}/keys/${id}`, { key: org.ownerKey });

/** The response to a call whose body is half sent when `between` runs, and continues afterwards. */
async function during(
  path: string,
  key: string,
  body: object,
  between: () => Promise<Answer>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const slow = slowBody(JSON.stringify(body));
  const answer = call("POST", path, { key, stream: slow.stream, headers });
  await slow.begun;
  expect((await between()).status).toBeLessThan(300);
  slow.finish();
  return answer;
}

const codeOf = (answer: Answer) => [answer.status, answer.body.error?.code];

async function countIn(org: TestOrg, list: string): Promise<number> {
  return (await call("GET", `/v1/orgs/${org.id}/${list}`, { key: operatorKey() })).body.data.length;
}

test("a key that is revoked while the body arrives creates nothing", async () => {
  const org = await newOrg();
  const victim = await victimOf(org);
  const before = await countIn(org, "keys");
  const path = `/v1/orgs/${org.id}/keys`;
  const answer = await during(path, victim.key, { name: "x", role: "admin" }, () => revoke(org, victim));
  expect(codeOf(answer)).toEqual([410, "gone"]);
  expect(await countIn(org, "keys")).toBe(before);
});

test("an org that is suspended while the body arrives changes nothing", async () => {
  const org = await newOrg();
  const path = `/v1/orgs/${org.id}/budgets`;
  const answer = await during(path, org.ownerKey, BUDGET, () =>
    call("POST", `/v1/admin/orgs/${org.id}/suspend`, { key: operatorKey() }),
  );
  expect(codeOf(answer)).toEqual([403, "org_suspended"]);
  expect(await countIn(org, "budgets")).toBe(0);
});

test("an address that is removed from the allow-list while the body arrives changes nothing", async () => {
  const org = await newOrg();
  const path = `/v1/orgs/${org.id}/budgets`;
  const answer = await during(path, org.ownerKey, BUDGET, () =>
    call("PATCH", `/v1/orgs/${org.id}`, { key: operatorKey(), body: { ip_allow_list: ["192.0.2.0/24"] } }),
  );
  expect(codeOf(answer)).toEqual([403, "ip_not_allowed"]);
  expect(await countIn(org, "budgets")).toBe(0);
});

test("a secret that is replaced while the body arrives changes nothing", async () => {
  const org = await newOrg();
  const victim = await victimOf(org);
  const path = `/v1/orgs/${org.id}/budgets`;
  const answer = await during(path, victim.key, BUDGET, () =>
    call("POST", `/v1/orgs/${org.id}/keys/${victim.id}/rotate`, { key: org.ownerKey }),
  );
  expect(codeOf(answer)).toEqual([401, "unauthorized"]);
  expect(await countIn(org, "budgets")).toBe(0);
});

test("a batch of runs that arrives after a revocation is not recorded", async () => {
  const org = await newOrg();
  const victim = await victimOf(org);
  const answer = await during("/v1/runs/bulk", victim.key, { runs: [run()] }, () => revoke(org, victim));
  expect(codeOf(answer)).toEqual([410, "gone"]);
  expect((await call("GET", "/v1/runs", { key: org.ownerKey })).body.data).toEqual([]);
});

test("a read-only call whose body arrives after a revocation is refused", async () => {
  const org = await newOrg();
  const victim = await victimOf(org);
  const path = `/v1/orgs/${org.id}/policy-rules/evaluate`;
  const answer = await during(path, victim.key, { run: run() }, () => revoke(org, victim));
  expect(codeOf(answer)).toEqual([410, "gone"]);
});

test.each([
  ["that says how long it is", true],
  ["of unknown length", false],
])("a decision %s is not made from slices after a revocation", async (_, saysLength) => {
  const org = await newOrg();
  const victim = await victimOf(org);
  const decide = (key: string) => call("POST", "/v1/edge/decision", { key, body: DECISION });
  const placeOf = async (key: string) => (await decide(key)).headers.get("x-svc-decided");
  lengthenLives(BUSY_MS);
  await expect.poll(() => placeOf(victim.key), { interval: 20 }).toBe("edge");
  // Other calls keep the isolate's slices of the org alive.
  const traffic = { on: true };
  const driving = (async () => {
    while (traffic.on) {
      await decide(org.ownerKey);
      await scheduler.wait(20);
    }
  })();
  const length = String(JSON.stringify(DECISION).length);
  const headers: Record<string, string> = saysLength ? { "content-length": length } : {};
  const revoking = () => revoke(org, victim);
  const answer = await during("/v1/edge/decision", victim.key, DECISION, revoking, headers);
  expect(await placeOf(org.ownerKey)).toBe("edge");
  traffic.on = false;
  await driving;
  expect(codeOf(answer)).toEqual([410, "gone"]);
});

/** Starts a revocation and returns when the object has it. Isolates may still act on what they know. */
async function beginRevoking(org: TestOrg, victim: Victim): Promise<{ answered: Promise<Answer> }> {
  const answered = revoke(org, victim);
  const isRevoked = async () =>
    (await rowsOf(org.id, "SELECT 1 FROM keys WHERE id = ? AND revoked_at IS NOT NULL", victim.id)).length;
  await expect.poll(isRevoked, { interval: 5 }).toBe(1);
  return { answered };
}

const STORED =
  "SELECT id FROM meters UNION ALL SELECT hex(data) FROM run_blocks UNION ALL SELECT body FROM hold_pages";

test.each([
  ["a budget", (org: TestOrg) => `/v1/orgs/${org.id}/budgets`, BUDGET],
  ["a run", () => "/v1/runs", run()],
  ["a batch of runs", () => "/v1/runs/bulk", { runs: [run()] }],
  ["a decision", () => "/v1/edge/decision", DECISION],
])("the object refuses %s of a key that only the isolate still considers valid", async (_, path, body) => {
  const org = await newOrg();
  const victim = await victimOf(org);
  const before = await rowsOf(org.id, STORED);
  const { answered } = await beginRevoking(org, victim);
  const answer = await call("POST", path(org), { key: victim.key, body });
  expect(codeOf(answer)).toEqual([410, "gone"]);
  expect(await rowsOf(org.id, STORED)).toEqual(before);
  expect((await answered).status).toBe(204);
});

test.each([
  [
    "whose org is suspended",
    [403, "org_suspended"],
    (org: TestOrg) => call("POST", `/v1/admin/orgs/${org.id}/suspend`, { key: operatorKey() }),
    "SELECT 1 FROM profile WHERE status = 'suspended'",
  ],
  [
    "whose address is shut out",
    [403, "ip_not_allowed"],
    (org: TestOrg) =>
      call("PATCH", `/v1/orgs/${org.id}`, { key: operatorKey(), body: { ip_allow_list: ["192.0.2.0/24"] } }),
    "SELECT 1 FROM profile WHERE ip_allow_list <> '[]'",
  ],
  [
    "whose secret is replaced",
    [401, "unauthorized"],
    (org: TestOrg, { id }: Victim) =>
      call("POST", `/v1/orgs/${org.id}/keys/${id}/rotate`, { key: operatorKey() }),
    `SELECT 1 FROM ${AUDIT_ROWS} WHERE action = 'key.rotated'`,
  ],
])("the object refuses a key %s before isolates know it", async (_, code, change, isDone) => {
  const org = await newOrg();
  const victim = await victimOf(org);
  const before = await rowsOf(org.id, STORED);
  const answered = change(org, victim);
  await expect.poll(async () => (await rowsOf(org.id, isDone)).length, { interval: 5 }).toBe(1);
  const path = `/v1/orgs/${org.id}/budgets`;
  expect(codeOf(await call("POST", path, { key: victim.key, body: BUDGET }))).toEqual(code);
  expect((await answered).status).toBe(200);
  expect(await rowsOf(org.id, STORED)).toEqual(before);
});

test.each([
  ["expires_at = 1", [401, "key_expired"]],
  ["not_before = 9000000000000", [401, "key_expired"]],
  ["role = 'developer'", [403, "forbidden"]],
  ["scopes = '[]'", [403, "missing_scope"]],
])("the object uses its own row of a key: %s", async (change, code) => {
  const org = await newOrg();
  const victim = await victimOf(org);
  await rowsOf(org.id, `UPDATE keys SET ${change} WHERE id = ?`, victim.id);
  const path = `/v1/orgs/${org.id}/budgets`;
  expect(codeOf(await call("POST", path, { key: victim.key, body: BUDGET }))).toEqual(code);
});

test("the object refuses support whose grant is closed, and still records the request", async () => {
  const org = await newOrg();
  const grants = `/v1/orgs/${org.id}/support-grants`;
  const body = { scope: "read_only", reason: "r", expires_in_seconds: 600 };
  const { id } = (await call("POST", grants, { key: org.ownerKey, body })).body;
  const actor = { kind: "support", id: "operator", role: "viewer", onBehalfOf: id, address: null } as const;
  const door = new OrgDoor(env.ORG.getByName(org.id), {
    actor,
    trace: "t",
    idempotency: null,
    ifMatch: null,
  });
  const page = {
    sort: { field: "created_at", descending: false },
    limit: 1,
    after: null,
    filters: {},
    scope: "",
  };
  const list = () => door.command("listAudit", page);
  expect(await list()).toMatchObject({ status: 200 });
  expect((await call("DELETE", `${grants}/${id}`, { key: org.ownerKey })).status).toBe(204);
  expect(await list()).toMatchObject({ status: 410, code: "gone" });
  const request = { method: "GET", route: "/v1/x", status: 410, code: "gone" };
  expect(await door.command("recordSupportRequest", request)).toMatchObject({ status: 200 });
});

test("the object replays no stored response to a revoked key", async () => {
  const org = await newOrg();
  const victim = await victimOf(org);
  const path = `/v1/orgs/${org.id}/budgets`;
  const headers = { "idempotency-key": "once" };
  const create = () => call("POST", path, { key: victim.key, body: BUDGET, headers });
  expect((await create()).status).toBe(201);
  const { answered } = await beginRevoking(org, victim);
  expect(codeOf(await create())).toEqual([410, "gone"]);
  await answered;
});

test("a person who is signed out while a form arrives changes nothing", async () => {
  const org = await newOrg();
  const browser = await signedIn(org.id, "admin");
  const { cookie, sessionId } = browser;
  const page = await (await browser.get("/console/support")).text();
  const token = /name="_csrf" value="([^"]+)"/.exec(page)?.[1];
  const form = {
    _csrf: token ?? "",
    _once: crypto.randomUUID(),
    customer_id: "c",
    limit_usd: "5",
    period: "day",
  };
  const slow = slowBody(String(new URLSearchParams(form)));
  const type = "application/x-www-form-urlencoded";
  const headers = { cookie, "cf-connecting-ip": "203.0.113.7", "content-type": type };
  const init = { method: "POST", headers, body: slow.stream, redirect: "manual" } as const;
  const answer = serve("http://sluice.test/console/customer-limits", init);
  await slow.begun;
  const session = `/v1/orgs/${org.id}/sessions/${sessionId}`;
  expect((await call("DELETE", session, { key: org.ownerKey })).status).toBe(204);
  slow.finish();
  expect((await answer).status).toBe(401);
  expect(await countIn(org, "customer-limits")).toBe(0);
});

test("a residency rule that shuts this region out while the body arrives lets nothing change", async () => {
  const org = await newOrg();
  const path = `/v1/orgs/${org.id}/budgets`;
  const answer = await during(path, org.ownerKey, BUDGET, async () => {
    // As it is once the service has given up a region that the rule names: through the API no rule excludes the home.
    await rowsOf(org.id, "INSERT INTO residency (one, regions) VALUES (1, ?)", '["eu"]');
    const from = Date.now();
    await vi.waitUntil(() => Date.now() > from + SNAPSHOT.lifeMs, PATIENT);
    return call("GET", `/v1/admin/orgs/${org.id}`, { key: operatorKey() });
  });
  expect(codeOf(answer)).toEqual([403, "residency_violation"]);
  expect(await rowsOf(org.id, "SELECT 1 FROM meters WHERE kind = 'budget'")).toEqual([]);
});

test("an org that is suspended lets support do nothing more, whatever an isolate still believes", async () => {
  const org = await newOrg();
  const grant = await call("POST", `/v1/orgs/${org.id}/support-grants`, {
    key: org.ownerKey,
    body: { scope: "read_only", reason: "Ticket 1", expires_in_seconds: 3600 },
  });
  const envelope = {
    actor: {
      kind: "support",
      id: "operator",
      role: "viewer",
      onBehalfOf: grant.body.id as string,
      address: null,
    } as const,
    trace: "test",
    idempotency: null,
    ifMatch: null,
  };
  const object = env.ORG.getByName(org.id);
  const act = async () => (await object.execute("changeOrg", { name: "Renamed" }, envelope)).code;
  expect(await act()).toBeNull();
  await call("POST", `/v1/admin/orgs/${org.id}/suspend`, { key: operatorKey() });
  expect(await act()).toBe("org_suspended");
});
