import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Demo } from "../../scripts/demo.ts";
import { claimPorts } from "../../scripts/ports.ts";
import { runScript, startOn } from "../support/command.ts";
import { temporaryFolder } from "../support/folder.ts";
import { type Caller, callerAt } from "../support/server.ts";

const ON = { SLUICE_NORTHWIND: "on" };

/** Everything of a list, page by page. */
async function all(call: Caller, path: string, key: string): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page = await call("GET", `${path}limit=200${cursor === "" ? "" : `&cursor=${cursor}`}`, { key });
    expect([path, page.status]).toEqual([path, 200]);
    found.push(...page.body.data);
    cursor = page.body.next_cursor;
  }
  return found;
}

/** Every question has something to see, and nothing is there twice. */
async function expectWhole(call: Caller, demo: Demo): Promise<void> {
  const { operator_key, northwind_org_id: id = "", northwind_owner_key: key = "" } = demo;
  const org = `/v1/orgs/${id}`;
  const orgs = await call("GET", "/v1/admin/orgs", { key: operator_key });
  expect(orgs.body.data.map(({ name }: { name: string }) => name).toSorted()).toEqual(["Demo", "Northwind"]);
  expect((await call("GET", org, { key })).body).toMatchObject({ environment: "test", plan: "growth" });
  const budgets = (await all(call, `${org}/budgets?`, key)) as {
    name: string;
    spent: string;
    limit: string;
    mode: string;
  }[];
  expect(new Set(budgets.map(({ name }) => name)).size).toBe(budgets.length);
  const shares = budgets.map(({ spent, limit }) => Number(spent) / Number(limit));
  expect(shares.some((share) => share > 0.85 && share < 1)).toBe(true);
  expect(budgets.some(({ mode }, at) => mode === "enforce" && (shares[at] ?? 0) >= 0.99)).toBe(true);
  const runs = await all(call, "/v1/runs?", key);
  expect(new Set(runs.map(({ id: run }) => run)).size).toBe(runs.length);
  const refusals = await all(call, `${org}/refusals?`, key);
  expect(new Set(refusals.map(({ code }) => code))).toEqual(
    new Set([
      "budget_exceeded",
      "spend_cap_exceeded",
      "credits_exhausted",
      "policy_blocked",
      "policy_approval_required",
      "content_safety_blocked",
      "chain_budget_exceeded",
    ]),
  );
  const earned = await call("GET", `${org}/usage/report?${lastDays(29)}&group_by=customer_id`, { key });
  expect(Number(earned.body.totals.saved_usd)).toBeGreaterThan(0);
  const margins = earned.body.data.map(({ margin_usd }: { margin_usd: string }) => Number(margin_usd));
  expect([margins.some((one: number) => one < 0), margins.some((one: number) => one > 0)]).toEqual([
    true,
    true,
  ]);
  const unusual = await call("GET", `${org}/usage/unusual?${lastDays(14)}`, { key });
  expect(unusual.body.data.map(({ subject_id }: { subject_id: string }) => subject_id)).toContain("globex");
  const approvals = await all(call, `${org}/approvals?`, key);
  expect(new Set(approvals.map(({ status }) => status))).toEqual(new Set(["pending", "used", "denied"]));
  const packs = await all(call, `${org}/credit-packs?`, key);
  expect(new Set(packs.map(({ status }) => status))).toEqual(new Set(["live", "scheduled"]));
  const webhooks = await all(call, `${org}/webhooks?`, key);
  expect(webhooks).toHaveLength(2);
  const spans = await call("GET", `${org}/usage/report?${lastDays(62)}&group_by=day`, { key });
  expect(spans.body.data.length).toBeGreaterThanOrEqual(60);
  const cap = await call("GET", `${org}/spend-cap`, { key });
  const days = spans.body.data.map(({ cost_usd }: { cost_usd: string }) => Number(cost_usd));
  expect(Math.max(...days)).toBeLessThan(Number(cap.body.cap_usd));
  const verified = await call("GET", `${org}/audit-log/verify`, { key });
  expect(verified.body).toMatchObject({ valid: true });
  const failing = webhooks.find(({ description }) => description === "Old ERP");
  const attempted = async () =>
    (await all(call, `${org}/webhooks/${String(failing?.["id"])}/deliveries?`, key)).some(
      ({ status, attempts }) => status === "pending" && Number(attempts) > 0,
    );
  await expect.poll(attempted).toBe(true);
}

function lastDays(days: number): URLSearchParams {
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  return new URLSearchParams({ from: day(days), to: day(-1) });
}

test("a new folder has Northwind, also if the first start is killed while it makes it", async () => {
  const folder = temporaryFolder();
  const [port = 0] = await claimPorts(0, 1);
  const operator = "an-operator-key-of-my-own-0123456789";
  const environment = { ...ON, PORT: String(port), SVC_OPERATOR_KEY: operator };
  const first = runScript("start.ts", [], { SLUICE_DATA_DIR: folder, ...environment });
  const call = callerAt(`http://127.0.0.1:${port}`);
  const begun = async () => (await call("GET", "/v1/admin/orgs", { key: operator })).body.data?.length ?? 0;
  await expect.poll(() => begun().catch(() => 0), { interval: 10 }).toBe(2);
  first.process.kill("SIGKILL");
  await first.ended;
  expect(existsSync(join(folder, "demo.json"))).toBe(false);
  const next = await startOn(folder, environment);
  const { northwind_org_id: id = "", northwind_owner_key: key = "" } = next.demo;
  for (const value of [id, key, `/console/enter?org=${id}`]) expect(next.stdout()).toContain(value);
  await expectWhole(call, next.demo);
});
