import { expect, test, vi } from "vitest";
import { aRun, newSpender, type Spender } from "../support/ledger.ts";
import { useRealLives } from "../support/lives.ts";
import { call, env } from "../support/worker.ts";
import { PATIENT } from "../support/patience.ts";

useRealLives();

const POLICY = { name: "p", unit: "requests", limit: 2, window_seconds: 2_592_000, kind: "rate" };

function setPolicies(org: Spender, policies: readonly object[]) {
  return org.operate("PUT", "/v1/admin/orgs/{org}/rate-limits", { read_rpm: null, policies });
}

/** What is left of the policies that a call touches. */
async function left(org: Spender, fields: object): Promise<number[]> {
  const { body } = await org.decide("0", { ...fields, dry_run: true });
  return (body as { limits: { available: number }[] }).limits.map(({ available }) => available);
}

test("a policy counts the calls that have all its parts, and no others", async () => {
  const org = await newSpender();
  const match = {
    model: ["gpt-*", "o3"],
    provider: "acme",
    workflow_id: "w1",
    deployment_id: ["d1", "d2"],
    department_id: "sales",
    tags: { team: ["red", "blue"] },
  };
  const set = await setPolicies(org, [{ ...POLICY, match }]);
  expect([set.status, set.body.policies[0].match]).toEqual([200, match]);
  const own = {
    model: "gpt-9",
    provider: "acme",
    workflow_id: "w1",
    deployment_id: "d2",
    department_id: "sales",
    tags: { team: "blue", other: "x" },
  };
  const others = Object.keys(own).map((name) => ({ ...own, [name]: name === "tags" ? { team: "x" } : "gp" }));
  for (const fields of [...others, {}]) {
    expect((await org.run(fields)).status).toBe(201);
    expect(await left(org, fields)).toEqual([]);
  }
  expect((await org.run({ ...own, model: "o3" })).status).toBe(201);
  const batch = await org.bulk([aRun(own), aRun(own), aRun({ ...own, provider: "x" })]);
  const statuses = batch.body.results.map(({ status }: { status: string }) => status);
  expect(statuses).toEqual(["accepted", "rejected", "accepted"]);
  const refused = await org.decide("0", own);
  expect([refused.status, refused.body.error.code]).toEqual([429, "rate_limited"]);
  expect((await org.run(own)).body.error.code).toBe("rate_limited");
  expect((await org.decide("0", { ...own, department_id: "x" })).status).toBe(200);
  const explained = await org.send("POST", "explain", { ask: { ...own, estimate: { cost_usd: "0" } } });
  expect(explained.body.checks[0]).toMatchObject({ check: "rate_limit", outcome: "refused" });
});

test("a policy counts by the variant and the outcome, which is completed unless a run says otherwise", async () => {
  const org = await newSpender();
  const bad = await setPolicies(org, [{ ...POLICY, match: { outcome: ["failed", "lost"] } }]);
  expect(bad.body.error.details.fields[0]).toMatchObject({
    field: "policies[0].match.outcome[1]",
    code: "invalid_value",
  });
  await setPolicies(org, [
    { ...POLICY, name: "batch", match: { variant: ["batch", "flex"] }, limit: 1 },
    { ...POLICY, name: "failed", match: { outcome: "failed" }, limit: 1 },
    { ...POLICY, name: "each", match: { outcome: "*", user_id: "u" }, limit: 1 },
  ]);
  expect((await org.decide("0", { variant: "flex" })).status).toBe(200);
  expect((await org.run({ variant: "batch" })).status).toBe(429);
  expect((await org.decide("0", { variant: "batch" })).status).toBe(429);
  expect((await org.run({ variant: "other" })).status).toBe(201);
  const runs = [{ outcome: "failed" }, { outcome: "failed" }, { outcome: "cancelled" }, {}];
  const { body } = await org.bulk(runs.map((fields) => aRun(fields)));
  expect(body.results.map((one: { status: string }) => one.status)).toEqual([
    "accepted",
    "rejected",
    "accepted",
    "accepted",
  ]);
  expect((await org.run({ user_id: "u", outcome: "cancelled" })).status).toBe(201);
  expect((await org.decide("0", { user_id: "u" })).status).toBe(200);
  expect((await org.run({ user_id: "u" })).status).toBe(429);
});

test("a star counts each value separately, in isolates too, and no call without one", async () => {
  const org = await newSpender();
  await setPolicies(org, [
    { ...POLICY, name: "each user", match: { user_id: "*" }, limit: 400 },
    { ...POLICY, name: "each team", match: { customer_id: "*", tags: { team: "*" } }, kind: "quota" },
  ]);
  const team = { customer_id: "c 1", tags: { team: "r é" } };
  for (const status of [200, 200, 429]) expect((await org.decide("0", team)).status).toBe(status);
  for (const other of [{ ...team, customer_id: "c2" }, { customer_id: "c 1" }, { tags: team.tags }]) {
    expect((await org.decide("0", other)).status).toBe(200);
  }
  let [allowed, atEdge] = [0, 0];
  const refused = await vi.waitUntil(
    async () => {
      const decided = await org.decide("0", { user_id: "u1" });
      if (decided.status !== 200) return decided;
      allowed += 1;
      atEdge += decided.headers.get("x-svc-decided") === "edge" ? 1 : 0;
      return null;
    },
    { ...PATIENT, interval: 1 },
  );
  expect([refused.status, allowed, atEdge > 0]).toEqual([429, 400, true]);
  expect(await left(org, { user_id: "u2" })).toEqual([400]);
  expect((await org.decide("0", { user_id: "u2" })).status).toBe(200);
  expect(await left(org, {})).toEqual([]);
});

test("requests of each key are counted before their bodies are read", async () => {
  const org = await newSpender();
  const { key: other } = (await org.send("POST", "keys", { name: "other", role: "developer" })).body;
  await setPolicies(org, [{ ...POLICY, match: { each_key: true } }]);
  const malformed = (key: string) => call("POST", "/v1/edge/decision", { key, body: { estimate: 1 } });
  for (const key of [org.key, other]) {
    for (const status of [422, 422, 429]) expect((await malformed(key)).status).toBe(status);
  }
});

test("a run counts what its decision did not: where that was counted, and for another value in full", async () => {
  const org = await newSpender();
  const tokens = { ...POLICY, unit: "tokens", limit: 1000 };
  await setPolicies(org, [{ ...tokens, match: { user_id: "*", model: "acme/*" } }]);
  const ask = { model: "acme/m1", user_id: "u 1" };
  const estimate = { cost_usd: "0", input_tokens: 6, max_output_tokens: 4 };
  const decided = await org.decide("0", { ...ask, estimate });
  expect(await left(org, ask)).toEqual([990]);
  const { id } = decided.body.reservation as { id: string };
  expect((await org.run({ ...ask, reservation_id: id, cost_usd: "0" })).status).toBe(201);
  expect(await left(org, ask)).toEqual([985]);
  const second = await org.decide("0", { ...ask, estimate });
  const other = { ...ask, user_id: "u2", reservation_id: second.body.reservation.id, cost_usd: "0" };
  expect((await org.run(other)).status).toBe(201);
  expect([await left(org, ask), await left(org, { ...ask, user_id: "u2" })]).toEqual([[970], [985]]);
});

test("a run that comes before its isolate's report is counted once", async () => {
  const org = await newSpender();
  await setPolicies(org, [{ ...POLICY, limit: 5000, match: { provider: "*" } }]);
  const ask = { provider: "p1" };
  let made = 0;
  const atEdge = await vi.waitUntil(
    async () => {
      made += 1;
      const decided = await org.decide("0", ask);
      return decided.headers.get("x-svc-decided") === "edge" ? decided : null;
    },
    { ...PATIENT, interval: 1 },
  );
  const { id } = atEdge.body.reservation as { id: string };
  expect((await org.run({ ...ask, reservation_id: id, cost_usd: "0" })).status).toBe(201);
  const reported = async () => (await left(org, ask))[0] === 5000 - made;
  await vi.waitUntil(reported, PATIENT);
});

test.each([
  [{ model: "a*b" }, "policies[0].match.model"],
  [{ user_id: [] }, "policies[0].match.user_id"],
  [{ user_id: ["a", "*"] }, "policies[0].match.user_id"],
  [{ tags: { team: ["*", "a"] } }, "policies[0].match.tags.team"],
  [{ tags: { Team: "a" } }, "policies[0].match.tags.Team"],
  [{ customer_id: "*", user_id: "*", provider: "*" }, "policies[0].match.user_id"],
  [{ outcome: "unreported" }, "policies[0].match.outcome"],
  [{ variant: 1 }, "policies[0].match.variant"],
  [{ key_id: "*" }, "policies[0].match.key_id"],
  [{ each_key: false }, "policies[0].match.each_key"],
  [{ each_key: true, customer_id: "*", user_id: "*" }, "policies[0].match.user_id"],
])("refuses to match %j, at %s", async (match, field) => {
  const org = await newSpender();
  const refused = await setPolicies(org, [{ ...POLICY, match }]);
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining(`"${field}"`)]);
});

test("a policy that matches something else starts from zero, and its match is in D1", async () => {
  const org = await newSpender();
  const first = await setPolicies(org, [{ ...POLICY, match: { user_id: "u1" } }]);
  const same = await setPolicies(org, [{ ...POLICY, match: { user_id: ["u1"] }, limit: 1 }]);
  const other = await setPolicies(org, [{ ...POLICY, match: { user_id: "u2" } }]);
  const [one, two, three] = [first, same, other].map(({ body }) => body.policies[0].id as string);
  expect([one === two, two === three]).toEqual([true, false]);
  const row = () =>
    env.DB.prepare(`SELECT "match" FROM rate_limit_policies WHERE org_id = ?`).bind(org.id).first();
  await vi.waitUntil(async () => (await row())?.["match"] === '{"user_id":"u2"}', PATIENT);
});
