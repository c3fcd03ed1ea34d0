import { beforeAll, expect, test } from "vitest";
import { type Browser, signedIn } from "../../support/session.ts";
import { call, newOrg, type TestOrg } from "../../support/worker.ts";

/** What the console says about one refusal. */

let org: TestOrg;
let browser: Browser;
const send = (method: string, path: string, body: object) => call(method, path, { key: org.ownerKey, body });

beforeAll(async () => {
  org = await newOrg({ environment: "test" });
  browser = await signedIn(org.id, "viewer");
  const budget = { scope_kind: "workflow", scope_id: "w", limit_usd: "1.00", period: "month", name: "Small" };
  await send("POST", `/v1/orgs/${org.id}/budgets`, budget);
});

const text = async (path: string) => {
  const answer = await browser.get(path);
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.text();
};

test("explains each refusal of a trace that has several by itself", async () => {
  const runs = ["9.50", "8.25"].map((cost_usd) => ({
    started_at: new Date().toISOString(),
    model: "acme/m1",
    workflow_id: "w",
    usage: { input_tokens: 1, output_tokens: 1 },
    cost_usd,
  }));
  const bulk = await send("POST", "/v1/runs/bulk", { runs });
  const shared = bulk.headers.get("x-svc-trace-id") ?? "";
  const listed = `/console/refusals?trace_id=${shared}`;
  const found = await browser.get(`/console/explain?trace_id=${shared}`);
  expect([found.status, found.headers.get("location")]).toEqual([303, listed]);
  const links = [...(await text(listed)).matchAll(/href="(\/console\/explain\?refusal_id=ref_\w+)"/g)];
  const pages = await Promise.all(links.map(([, link = ""]) => text(link)));
  const asked = pages.map((page) => /There was no room for \$[\d.]+/.exec(page)?.[0]);
  expect(asked).toHaveLength(2);
  expect(new Set(asked)).toEqual(new Set(["There was no room for $8.25", "There was no room for $9.50"]));
  for (const page of pages) expect(page).toContain(`href="${listed}"`);
});

test("says what was left at the time, and names a budget that has no name", async () => {
  const budget = { scope_kind: "workflow", scope_id: "unnamed", limit_usd: "3", period: "month" };
  await send("POST", `/v1/orgs/${org.id}/budgets`, budget);
  const ask = { workflow_id: "unnamed", estimate: { cost_usd: "4" } };
  const refused = await send("POST", "/v1/edge/decision", ask);
  const page = await text(`/console/explain?trace_id=${refused.headers.get("x-svc-trace-id")}`);
  expect(page).toContain("Refused by Workflow unnamed");
  expect(page).toContain("There was no room for $4.00: $0.00 of $3.00 was spent.");
  expect(page).toMatch(/at most <[^>]+>\$3\.00/);
});

test("a refusal is found by its id", async () => {
  const found = await browser.get(`/console/search?q=ref_${"0".repeat(26)}`);
  expect(found.headers.get("location")).toBe(`/console/explain?refusal_id=ref_${"0".repeat(26)}`);
  expect((await browser.get(found.headers.get("location") ?? "")).status).toBe(404);
});
