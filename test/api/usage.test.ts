import { expect, test } from "vitest";
import { newSpender } from "../support/ledger.ts";
import { call, newOrg, type TestOrg } from "../support/worker.ts";

async function report(org: TestOrg, runs: readonly object[]): Promise<void> {
  const body = { runs: runs.map((run) => ({ usage: { input_tokens: 1, output_tokens: 2 }, ...run })) };
  const answer = await call("POST", "/v1/runs/bulk", { key: org.ownerKey, body });
  if (answer.body.accepted !== runs.length) throw new Error(answer.text);
}

test("spending adds up exactly by day, model and workflow", async () => {
  const org = await newOrg();
  const today = new Date().toISOString().slice(0, 10);
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  await report(org, [
    { started_at: `${yesterday}T10:00:00Z`, model: "a/1", workflow_id: "w", cost_usd: "0.000000001" },
    { started_at: `${yesterday}T11:00:00Z`, model: "a/2", cost_usd: "1.10" },
    { started_at: `${today}T00:00:00Z`, model: "a/1", workflow_id: "w", cost_usd: "2.20" },
  ]);
  const answer = await call("GET", `/v1/orgs/${org.id}/usage`, { key: org.ownerKey });
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    by_day: [
      { date: yesterday, cost_usd: "1.100000001", runs: 2, tokens: 6 },
      { date: today, cost_usd: "2.20", runs: 1, tokens: 3 },
    ],
    by_model: [
      { name: "a/1", cost_usd: "2.200000001", runs: 2, tokens: 6 },
      { name: "a/2", cost_usd: "1.10", runs: 1, tokens: 3 },
    ],
    by_workflow: [{ name: "w", cost_usd: "2.200000001", runs: 2, tokens: 6 }],
  });
  const only = await call("GET", `/v1/orgs/${org.id}/usage?from=${today}`, { key: org.ownerKey });
  expect(only.body.by_day).toHaveLength(1);
});

test.each([
  ["to", "?from=2026-01-01&to=2026-12-01"],
  ["to", "?from=2026-02-01&to=2026-01-01"],
  ["from", "?from=soon"],
  ["model", "?model=a"],
])("an invalid range is refused, naming %s", async (field, query) => {
  const org = await newOrg();
  const refused = await call("GET", `/v1/orgs/${org.id}/usage${query}`, { key: org.ownerKey });
  expect([refused.status, refused.body.error.details.fields[0].field]).toEqual([422, field]);
});

test("an org sees which of its own keys still call deprecated routes, and none of another org's", async () => {
  const [org, other] = [await newOrg(), await newOrg()];
  const key = await org.mint("developer");
  for (let calls = 0; calls < 2; calls++) await call("GET", "/v1/forecast?deployment_id=d&teams=2", { key });
  const listed = async (of: TestOrg) =>
    (await call("GET", `/v1/orgs/${of.id}/deprecated-calls`, { key: of.ownerKey })).body.data;
  await expect
    .poll(() => listed(org))
    .toMatchObject([
      { method: "GET", route: "/v1/forecast", calls: 2, key_id: expect.stringMatching(/^key_/) },
    ]);
  expect(await listed(other)).toEqual([]);
});

test("without a range, it is about the last 30 days by the org's own clock", async () => {
  const org = await newSpender();
  await org.advance(100 * 86_400);
  const started_at = new Date(Date.now() + 100 * 86_400_000).toISOString();
  await org.run({ started_at, cost_usd: "2.50" });
  const { body } = await org.send("GET", "usage");
  expect(body.by_day).toMatchObject([{ date: started_at.slice(0, 10), cost_usd: "2.50" }]);
});
