import { beforeAll, expect, test } from "vitest";
import { type Browser, signedIn } from "../../support/session.ts";
import { call, newOrg, type TestOrg } from "../../support/worker.ts";

let org: TestOrg;
let browser: Browser;
const send = (path: string, body: object) => call("POST", path, { key: org.ownerKey, body });
const text = async (path: string) => (await browser.get(path)).text();

beforeAll(async () => {
  org = await newOrg({ environment: "test" });
  browser = await signedIn(org.id, "viewer");
});

test("a budget that is used up says so, and says until when", async () => {
  const budget = { scope_kind: "workflow", scope_id: "w", limit_usd: "1.00", period: "month" };
  const { body } = await send(`/v1/orgs/${org.id}/budgets`, budget);
  expect(await text(`/console/budgets/${body.id}`)).not.toContain("It is used up");
  const run = {
    started_at: new Date().toISOString(),
    model: "acme/m1",
    workflow_id: "w",
    usage: { input_tokens: 1, output_tokens: 1 },
    cost_usd: "1.00",
  };
  expect((await send("/v1/runs", run)).status).toBe(201);
  expect(await text(`/console/budgets/${body.id}`)).toMatch(/It is used up until 1 \w+ \d{4}, 00:00 UTC\./);
});

test("counters of a budget are headed by a word, not by a field's name", async () => {
  const budget = { match: {}, group_by: ["user_id"], limit_usd: "1.00", period: "month" };
  const { body } = await send(`/v1/orgs/${org.id}/budgets`, budget);
  const page = await text(`/console/budgets/${body.id}`);
  expect(page).toContain("By user<");
});

test("a plan's use is what was recorded this month", async () => {
  const page = await text("/console/limits");
  expect(page).toContain("Runs recorded this month");
  expect(page).not.toContain("of unlimited");
});
