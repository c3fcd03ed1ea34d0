import { runInDurableObject } from "cloudflare:test";
import parsePrometheusTextFormat from "parse-prometheus-text-format";
import { expect, test } from "vitest";
import { call, env, newOrg, type TestOrg } from "../support/worker.ts";

async function gauges(org: TestOrg, key: string = org.ownerKey) {
  const answer = await call("GET", `/v1/orgs/${org.id}/metrics`, { key });
  expect([answer.status, answer.headers.get("content-type")]).toEqual([
    200,
    "text/plain; version=0.0.4; charset=utf-8",
  ]);
  const families = parsePrometheusTextFormat(answer.text);
  return (name: string, id: string) => {
    const samples = families.find((family) => family.name === name)?.metrics ?? [];
    const found = samples.find(({ labels }) => labels?.["id"] === id);
    return found === undefined ? null : { value: Number(found.value), labels: found.labels };
  };
}

async function budget(org: TestOrg, more: object = {}): Promise<string> {
  const body = { scope_kind: "org", limit_usd: "10", period: "day", mode: "enforce", ...more };
  const made = await call("POST", `/v1/orgs/${org.id}/budgets`, { key: org.ownerKey, body });
  expect(made.status).toBe(201);
  return made.body.id;
}

test("an org reads each of its limits: the limit, what is spent and reserved, and when it resets", async () => {
  const org = await newOrg();
  const id = await budget(org);
  const run = {
    started_at: new Date().toISOString(),
    model: "m",
    usage: { input_tokens: 1, output_tokens: 1 },
    cost_usd: "2.5",
  };
  expect((await call("POST", "/v1/runs", { key: org.ownerKey, body: run })).status).toBe(201);
  const ask = { estimate: { cost_usd: "1" }, hold_seconds: 900 };
  expect((await call("POST", "/v1/edge/decision", { key: org.ownerKey, body: ask })).status).toBe(200);
  const read = await gauges(org, await org.mint("viewer"));
  const labels = { kind: "budget", id, unit: "usd", scope_kind: "org", scope_id: "" };
  expect(read("svc_limit", id)).toEqual({ value: 10, labels: { ...labels, period: "day", mode: "enforce" } });
  expect(read("svc_limit_spent", id)?.value).toBe(2.5);
  // Isolates may have leased more than the one reservation.
  expect(read("svc_limit_reserved", id)?.value).toBeGreaterThanOrEqual(1);
  const resets = read("svc_limit_resets_in_seconds", id)?.value ?? -1;
  expect(resets).toBeGreaterThanOrEqual(0);
  expect(resets).toBeLessThanOrEqual(86_400);
});

test("a label cannot end early, whatever the scope is called", async () => {
  const org = await newOrg();
  const scope_id = 'w"} 1 \\';
  const id = await budget(org, { scope_kind: "workflow", scope_id });
  await runInDurableObject(env.ORG.getByName(org.id), (_object, state) => {
    state.storage.sql.exec(
      "UPDATE meters SET scope_id = ? WHERE id = ?",
      `${scope_id}\nsvc_limit{id="forged"} 7`,
      id,
    );
  });
  const answer = await call("GET", `/v1/orgs/${org.id}/metrics`, { key: org.ownerKey });
  expect(answer.text.split("\n").filter((line) => line.startsWith('svc_limit{id="forged"'))).toEqual([]);
  expect(answer.text).toContain(String.raw`scope_id="w\"} 1 \\\nsvc_limit{id=\"forged\"} 7"`);
  expect((await gauges(org))("svc_limit", id)?.value).toBe(10);
});

test("another org, and a key without the scope, read nothing", async () => {
  const [org, other] = [await newOrg(), await newOrg()];
  const path = `/v1/orgs/${org.id}/metrics`;
  expect((await call("GET", path, { key: other.ownerKey })).status).toBe(404);
  const narrow = await org.mint("viewer", { scopes: ["runs:read"] });
  expect((await call("GET", path, { key: narrow })).body.error.code).toBe("missing_scope");
  expect((await call("GET", path, {})).status).toBe(401);
});

test("of very many limits, the first thousand are shown and the rest is counted", async () => {
  const org = await newOrg();
  const id = await budget(org);
  await runInDurableObject(env.ORG.getByName(org.id), (_object, state) => {
    state.storage.sql.exec(
      `INSERT INTO meters (id, kind, scope_kind, scope_id, amount, period, time_zone, mode, since, extra)
       SELECT 'clm_' || value, 'customer_limit', 'customer', 'c' || value, '1', 'day', NULL, 'enforce', 0, '{}'
       FROM json_each(?)`,
      JSON.stringify(Array.from({ length: 5000 }, (_, index) => index)),
    );
  });
  const answer = await call("GET", `/v1/orgs/${org.id}/metrics`, { key: org.ownerKey });
  const shown = answer.text.split("\n").filter((line) => line.startsWith("svc_limit{"));
  expect(shown.length).toBeLessThanOrEqual(1000);
  expect(shown.some((line) => line.includes(id))).toBe(true);
  const [, leftOut] = /^svc_limits_left_out (\d+)$/m.exec(answer.text) ?? [];
  expect(Number(leftOut) + 1000).toBeGreaterThanOrEqual(5001);
});
