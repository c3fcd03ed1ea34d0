import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Demo } from "../../scripts/demo.ts";
import { ASK_PATH } from "../../scripts/northwind/clock.ts";
import type { Begun } from "../../scripts/northwind/journal.ts";
import { DAY_MS } from "../../scripts/northwind/runs.ts";
import { claimPorts } from "../../scripts/ports.ts";
import { runScript, startOn } from "../support/command.ts";
import { temporaryFolder } from "../support/folder.ts";
import { type Server, startServer } from "../../scripts/server.ts";
import { type Caller, callerAt, ownServer } from "../support/server.ts";

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
  const hasRefused = (keyId: unknown) => refusals.some(({ key_id }) => key_id === keyId);
  const keys = await all(call, `${org}/keys?`, key);
  expect(keys.filter(({ id: one }) => hasRefused(one)).length).toBeGreaterThan(3);
  expect(new Set(keys.map(({ status }) => status))).toEqual(new Set(["active", "revoked"]));
  expect(keys.every(({ created_at }) => daysSince(created_at) > 45)).toBe(true);
  const trail = await all(call, `${org}/audit-log?`, key);
  const events = await all(call, `${org}/events?`, key);
  for (const [what, times] of [
    ["refusals", refusals.map(({ at }) => at)],
    ["trail", trail.map(({ created_at }) => created_at)],
    ["events", events.map(({ created_at }) => created_at)],
  ] as const) {
    expect([what, new Set(times.map((at) => String(at).slice(0, 10))).size > 12]).toEqual([what, true]);
    expect([what, daysSince(times.at(-1)) > 55, daysSince(times[0]) < 0.1]).toEqual([what, true, true]);
    // Newest first, as they happened: no time is before that of an earlier one.
    expect([what, times]).toEqual([
      what,
      times.toSorted((one, other) => (String(one) < String(other) ? 1 : -1)),
    ]);
  }
  expect(trail.at(-1)).toMatchObject({ action: "org.created" });
  for (const action of ["key.rotated", "key.revoked", "customer_limit.updated", "budget.updated"]) {
    expect([action, trail.some((entry) => entry["action"] === action)]).toEqual([action, true]);
  }
  const stopped = refusals.filter(({ code }) => code === "chain_budget_exceeded");
  expect(new Set(stopped.map(({ at }) => String(at).slice(0, 10))).size).toBe(2);
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

function daysSince(at: unknown): number {
  return (Date.now() - Date.parse(String(at))) / DAY_MS;
}

function lastDays(days: number): URLSearchParams {
  const day = (ago: number) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10);
  return new URLSearchParams({ from: day(days), to: day(-1) });
}

test("a new folder has Northwind, also if the first start is killed while it makes it", async () => {
  const folder = temporaryFolder();
  const [port = 0] = await claimPorts(0, 1);
  const operator = "an-operator-key-of-my-own-0123456789";
  const environment = { ...ON, PORT: String(port), SVC_OPERATOR_KEY: operator };
  const first = runScript("start.ts", [], { SLUICE_DATA_DIR: folder, ...environment });
  const call = callerAt(`http://127.0.0.1:${port}`);
  const journal = join(folder, "northwind.json");
  const done = () => (JSON.parse(readFileSync(journal, "utf8")) as Begun).done;
  await expect.poll(() => (existsSync(journal) ? done() : 0), { interval: 5 }).toBeGreaterThan(20);
  first.process.kill("SIGKILL");
  await first.ended;
  expect(existsSync(join(folder, "demo.json"))).toBe(false);
  const next = await startOn(folder, environment);
  const { northwind_org_id: id = "", northwind_owner_key: key = "" } = next.demo;
  for (const value of [id, key, `/console/enter?org=${id}`]) expect(next.stdout()).toContain(value);
  expect(existsSync(journal)).toBe(false);
  await expectWhole(call, next.demo);
  expect((await call("GET", ASK_PATH)).status).toBe(404);
});

/** By the clock of the Worker, in days before now. */
async function workerIsBehind(server: Server): Promise<number> {
  const made = await callerAt(server.urls[0])("POST", "/v1/admin/orgs", {
    key: server.settings["SVC_OPERATOR_KEY"] ?? "",
    body: { name: "Now" },
  });
  expect(made.status).toBe(201);
  return daysSince(made.body.org.created_at);
}

test("nothing in a request moves the clock: not while it is in the past, and not afterwards", async () => {
  const server = await ownServer({ withNorthwind: true });
  const [url] = server.urls;
  const clock = server.northwind?.clock;
  if (clock === undefined) throw new Error("a new folder has no Northwind to make");
  const seeder = { url, key: server.settings["SVC_OPERATOR_KEY"] ?? "" };
  const time = { behindMs: 0, behind_ms: 0, at: Date.now(), now: new Date().toISOString(), orgId: null };
  const headers = { "x-now": String(Date.now()), "x-northwind-clock": "0", date: new Date().toUTCString() };
  const tryAll = async () => {
    const statuses = [];
    for (const [method, path] of [
      ["GET", ASK_PATH],
      ["GET", `${ASK_PATH}?behindMs=0&behind_ms=0&at=${Date.now()}`],
      ["POST", ASK_PATH],
      ["PUT", ASK_PATH],
    ] as const) {
      const body = method === "GET" ? {} : { body: time };
      statuses.push((await callerAt(url)(method, path, { key: seeder.key, headers, ...body })).status);
    }
    return new Set(statuses);
  };
  expect(await tryAll()).toEqual(new Set([204]));
  const startsBehind = clock.read().behindMs / DAY_MS;
  expect(startsBehind).toBeGreaterThan(59);
  expect(await workerIsBehind(server)).toBeCloseTo(startsBehind, 0);
  await clock.moveTo(Date.now() - 10 * DAY_MS, seeder);
  await clock.moveTo(Date.now() - 50 * DAY_MS, seeder);
  expect(await workerIsBehind(server)).toBeCloseTo(10, 0);
  await clock.catchUp("platform", seeder);
  expect(await tryAll()).toEqual(new Set([404]));
  await expect(clock.moveTo(Date.now() - 5 * DAY_MS, seeder)).rejects.toThrow("404");
  expect(await workerIsBehind(server)).toBeCloseTo(0, 0);
});

test("a server without Northwind has no such clock, whatever its variables say", async () => {
  const variables = { LOCAL_CLOCK: "0", BEHIND_MS: String(60 * DAY_MS), SLUICE_NORTHWIND: "on" };
  const server = await ownServer({ variables });
  expect(server.northwind).toBe(null);
  expect((await callerAt(server.urls[0])("GET", ASK_PATH)).status).toBe(404);
  expect(await workerIsBehind(server)).toBeCloseTo(0, 0);
});

test("a folder that is in use keeps the real time, even if its demo.json is gone", async () => {
  const folder = temporaryFolder();
  const first = await startServer({ port: 0, dataDir: folder, withNorthwind: false });
  expect(await workerIsBehind(first)).toBeCloseTo(0, 0);
  await first.dispose();
  const next = await startServer({ port: 0, dataDir: folder, withNorthwind: true });
  onTestFinished(() => next.dispose());
  expect(next.northwind).toBe(null);
  expect(await workerIsBehind(next)).toBeCloseTo(0, 0);
});
