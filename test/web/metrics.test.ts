import { Hono } from "hono";
import parsePrometheusTextFormat from "parse-prometheus-text-format";
import { runInDurableObject } from "cloudflare:test";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { DEPRECATED_ROUTES } from "../../src/contract/deprecations.ts";
import { SHARD_NAMES, shardOf } from "../../src/contract/metrics.ts";
import { metrics } from "../../src/web/metrics.ts";
import { gatherAsDeployed } from "../support/lives.ts";
import { call, env, newOrg, operatorKey } from "../support/worker.ts";
import { PATIENT } from "../support/patience.ts";

async function scrape() {
  const { status, headers, text } = await call("GET", "/metrics");
  expect(status).toBe(200);
  expect(headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  return new Map(parsePrometheusTextFormat(text).map((family) => [family.name, family.metrics]));
}

async function countOf(name: string, labels: Record<string, string>): Promise<number> {
  const samples = (await scrape()).get(name) ?? [];
  const found = samples.find((one) =>
    Object.entries(labels).every(([label, value]) => one.labels?.[label] === value),
  );
  return Number(found?.value ?? 0);
}

async function seriesCount(): Promise<number> {
  return (await scrape()).get("svc_requests_total")?.length ?? 0;
}

async function waitsObserved(): Promise<number> {
  const { text } = await call("GET", "/metrics");
  const counts = [...text.matchAll(/^svc_request_wait_seconds_count\{.*\} (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

describe("/metrics", () => {
  test("counts each call of a deprecated route under its template, whatever its result", async () => {
    const labels = { route: "/v1/admin/orgs/{org_id}/webhook-secret" };
    const before = await countOf("svc_deprecated_route_calls_total", labels);
    const calls = Array.from({ length: 20 }, (_, index) =>
      call("GET", `/v1/admin/orgs/org_${index}/webhook-secret`),
    );
    await Promise.all(calls);
    expect(await countOf("svc_deprecated_route_calls_total", labels)).toBe(before + 20);
  });

  test("has a series for each deprecated route, and for others only where they were called", async () => {
    const listed = (await call("GET", "/v1/meta/deprecations")).body as { route: string }[];
    const samples = (await scrape()).get("svc_deprecated_route_calls_total") ?? [];
    const labels = samples.map((one) => one.labels?.["route"]);
    const routes = listed.map(({ route }) => route);
    expect(labels).toEqual(expect.arrayContaining(routes));
    // A route whose deprecation was withdrawn keeps the calls that were counted before.
    const uncalled = samples.filter(({ value }) => Number(value) === 0);
    expect(routes).toEqual(expect.arrayContaining(uncalled.map((one) => one.labels?.["route"])));
    expect(labels).toEqual(expect.arrayContaining(DEPRECATED_ROUTES.map(({ route }) => route)));
  });

  test("counts requests by route template, method and status", async () => {
    const labels = { route: "/v1/orgs/{id}", method: "GET", status: "401" };
    const before = await countOf("svc_requests_total", labels);
    for (const id of ["a", "b", "c"]) await call("GET", `/v1/orgs/org_${id}`);
    expect(await countOf("svc_requests_total", labels)).toBe(before + 3);
  });

  test("gains no series from random paths and methods", async () => {
    await call("GET", "/v1/warm-up");
    await call("POST", "/warm-up");
    await seriesCount();
    const before = await seriesCount();
    const paths = Array.from({ length: 50 }, () => `/v1/${crypto.randomUUID()}/${crypto.randomUUID()}`);
    await Promise.all(paths.map((path) => call("GET", path)));
    expect(await seriesCount()).toBe(before);
  });

  test("observes how long requests waited, each once", async () => {
    const before = await waitsObserved();
    await call("GET", "/healthz");
    expect(await waitsObserved()).toBe(before + 2);
  });
});

async function decisionsCounted(): Promise<number> {
  const decisions = (await scrape()).get("svc_decisions_total") ?? [];
  return decisions.reduce((sum, one) => sum + Number(one.value), 0);
}

test("decisions are counted by verdict, code and place, without dry runs and bad requests", async () => {
  const org = await newOrg();
  const key = await org.mint("developer");
  const decide = (estimate: object, more: object = {}) =>
    call("POST", "/v1/edge/decision", { key, body: { estimate, ...more } });
  const before = await decisionsCounted();
  expect((await decide({ cost_usd: "1" })).status).toBe(200);
  expect((await decide({ cost_usd: "1" }, { dry_run: true })).status).toBe(200);
  expect((await decide({ cost_usd: "one" })).status).toBe(422);
  expect(await decisionsCounted()).toBe(before + 1);
  const budget = { scope_kind: "org", limit_usd: "0", period: "day", mode: "enforce" };
  expect((await call("POST", `/v1/orgs/${org.id}/budgets`, { key: org.ownerKey, body: budget })).status).toBe(
    201,
  );
  const deniedAt = (place: string) =>
    countOf("svc_decisions_total", { verdict: "deny", code: "budget_exceeded", place });
  const earlier = { edge: await deniedAt("edge"), object: await deniedAt("object") };
  const denied = await decide({ cost_usd: "1" });
  expect(denied.body.error.code).toBe("budget_exceeded");
  const place = denied.headers.get("x-svc-decided") === "edge" ? "edge" : "object";
  expect(await deniedAt(place)).toBe(earlier[place] + 1);
});

async function figures(): Promise<Record<string, number>> {
  const { text } = await call("GET", "/metrics");
  const lines = [...text.matchAll(/^(svc_[a-z_]+(?:\{[^}]*\})?) (\S+)$/gm)];
  return Object.fromEntries(lines.map(([, name, value]) => [name, Number(value)]));
}

/** Other files spend billions, and a total ends at nine. */
async function forgetTotals(): Promise<void> {
  await figures();
  for (const name of SHARD_NAMES) {
    await runInDurableObject(env.COUNTERS.getByName(name), (_object, { storage }) => {
      storage.sql.exec("DELETE FROM counts; UPDATE sources SET pending = '{}'");
    });
  }
}

/** How much each series grew, of those that did. */
function grown(before: Record<string, number>, after: Record<string, number>): Record<string, number> {
  const changes = Object.entries(after).map(([name, value]) => [name, value - (before[name] ?? 0)] as const);
  return Object.fromEntries(
    changes.filter(([name, by]) => by !== 0 && /^svc_(runs|spend|tokens|unpriced)/.test(name)),
  );
}

const started_at = "2026-11-01T00:00:00Z";

test("runs, their cost, their tokens by class and missing prices are counted once each", async () => {
  const org = await newOrg();
  const key = await org.mint("developer");
  const record = (body: object) =>
    call("POST", "/v1/runs", { key, body: { started_at, model: "m", ...body } });
  await forgetTotals();
  const before = await figures();
  const usage = { input_tokens: 100, output_tokens: 10, cache_read_tokens: 70, reasoning_tokens: 4 };
  const first = { id: `run_metrics_${org.id}`, usage, cost_usd: "0.25" };
  expect((await record(first)).status).toBe(201);
  expect((await record(first)).status).toBe(200);
  expect((await record({ usage })).status).toBe(422);
  const runs = [
    { started_at, model: "m", usage: { input_tokens: 1, output_tokens: 2 }, cost_usd: "1" },
    { started_at, model: "m", usage: { input_tokens: 1, output_tokens: 2 } },
    { started_at, ...first, model: "m" },
  ];
  expect((await call("POST", "/v1/runs/bulk", { key, body: { runs } })).status).toBe(200);
  const unpriced = { model: "m", estimate: { input_tokens: 5, max_output_tokens: 5 } };
  expect((await call("POST", "/v1/edge/decision", { key, body: unpriced })).status).toBe(422);
  expect(grown(before, await figures())).toEqual({
    'svc_runs_total{outcome="completed",status="accepted"}': 2,
    'svc_runs_total{outcome="completed",status="duplicate"}': 2,
    'svc_runs_total{outcome="completed",status="rejected"}': 2,
    svc_spend_nano_usd_total: 1_250_000_000,
    'svc_tokens_total{class="input"}': 31,
    'svc_tokens_total{class="output"}': 8,
    'svc_tokens_total{class="cache_read"}': 70,
    'svc_tokens_total{class="reasoning"}': 4,
    svc_unpriced_total: 3,
  });
});

test("a run that a limit refuses is counted as rejected, and nothing of it as spent", async () => {
  const org = await newOrg();
  const budget = { scope_kind: "org", limit_usd: "1", period: "day", mode: "enforce" };
  await call("POST", `/v1/orgs/${org.id}/budgets`, { key: org.ownerKey, body: budget });
  const before = await figures();
  const run = { started_at, model: "m", usage: { input_tokens: 1, output_tokens: 1 }, cost_usd: "2" };
  expect((await call("POST", "/v1/runs", { key: org.ownerKey, body: run })).status).toBe(402);
  const bulk = await call("POST", "/v1/runs/bulk", { key: org.ownerKey, body: { runs: [run, run] } });
  expect(bulk.status).toBe(402);
  expect(grown(before, await figures())).toEqual({
    'svc_runs_total{outcome="completed",status="rejected"}': 3,
  });
});

test("an estimate counts when it is charged, and the run in its place only for what it costs more", async () => {
  const org = await newOrg({ environment: "test" });
  const key = org.ownerKey;
  const reserve = async (request_id: string) => {
    const body = { request_id, estimate: { cost_usd: "1" }, on_expiry: "charge", hold_seconds: 60 };
    const held = await call("POST", "/v1/edge/decision", { key, body });
    expect(held.status).toBe(200);
    return held.body.reservation.id as string;
  };
  await forgetTotals();
  const before = await figures();
  const [dearer, cheaper] = [await reserve("dearer"), await reserve("cheaper")];
  const clock = { key: operatorKey(), body: { advance_seconds: 120 } };
  expect((await call("POST", `/v1/admin/orgs/${org.id}/test-clock`, clock)).status).toBe(200);
  const spent = async () => grown(before, await figures())["svc_spend_nano_usd_total"];
  expect(await spent()).toBe(2_000_000_000);
  const settle = (reservation_id: string, cost_usd: string) => {
    const usage = { input_tokens: 1, output_tokens: 1 };
    const body = { started_at, model: "m", usage, cost_usd, reservation_id };
    return call("POST", "/v1/runs", { key, body });
  };
  expect((await settle(dearer, "1.5")).status).toBe(201);
  expect((await settle(cheaper, "0.25")).status).toBe(201);
  expect(await spent()).toBe(2_500_000_000);
});

test("open reservations are a gauge that falls when they end", async () => {
  const org = await newOrg();
  const key = org.ownerKey;
  const open = async () => (await figures())["svc_holds_open"] ?? 0;
  const ask = { key, body: { estimate: { cost_usd: "1" }, hold_seconds: 900 } };
  const held = await Promise.all([1, 2, 3].map(() => call("POST", "/v1/edge/decision", ask)));
  const shard = env.COUNTERS.getByName(shardOf(org.id));
  const told = () => runInDurableObject(shard, (_object, state) => openOf(state.storage.sql, org.id));
  await vi.waitFor(async () => expect(await told()).toBe(3), PATIENT);
  expect(await open()).toBeGreaterThanOrEqual(3);
  for (const { body } of held) {
    const path = `/v1/edge/decision/${body.reservation.id}`;
    expect((await call("DELETE", path, { key })).status).toBeLessThan(300);
  }
  await vi.waitFor(async () => expect(await told()).toBeNull(), PATIENT);
});

function openOf(sql: SqlStorage, orgId: string): number | null {
  const rows = sql.exec<{ value: number }>(
    "SELECT value FROM gauges WHERE name = 'svc_holds_open' AND source = ?",
    orgId,
  );
  return rows.toArray()[0]?.value ?? null;
}

describe("with a token set, /metrics", () => {
  const app = new Hono().get("/metrics", (context) =>
    metrics(context as unknown as Parameters<typeof metrics>[0]),
  );
  const guarded = { ...env, SVC_METRICS_TOKEN: "a-token-for-the-scraper" };
  const ask = (authorization?: string) =>
    app.request("/metrics", authorization === undefined ? {} : { headers: { authorization } }, guarded);

  test("accepts that bearer token", async () => {
    expect((await ask("Bearer a-token-for-the-scraper")).status).toBe(200);
  });

  test.each([
    undefined,
    "",
    "Bearer",
    "Bearer a-token-for-the-scrape",
    "bearer a-token-for-the-scraper",
    "Basic YTpi",
  ])("refuses %j", async (authorization) => {
    const answer = await ask(authorization);
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toContain("Bearer");
    expect(await answer.text()).not.toContain("svc_");
  });
});

describe("scrapes", () => {
  function counted() {
    const reads: string[] = [];
    const COUNTERS = {
      getByName(name: string) {
        reads.push(name);
        return env.COUNTERS.getByName(name);
      },
    };
    const app = new Hono().get("/metrics", metrics);
    const ask = async () => (await app.request("/metrics", {}, { ...env, COUNTERS })).text();
    return { reads, ask };
  }

  test("ask the shards once a second, however many come", async () => {
    gatherAsDeployed();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
    onTestFinished(() => void vi.useRealTimers());
    const { reads, ask } = counted();
    await Promise.all([ask(), ask(), ask()]);
    const asked = reads.length;
    expect(asked).toBeGreaterThanOrEqual(2 * SHARD_NAMES.length);
    expect(asked).toBeLessThanOrEqual(2 * SHARD_NAMES.length + 1);
    for (let time = 0; time < 20; time += 1) await ask();
    expect(reads).toHaveLength(asked);
    vi.setSystemTime(Date.now() + 1_000);
    await ask();
    expect(reads.length).toBeGreaterThan(asked);
  });

  test("show at once what this isolate counts, and each call once", async () => {
    gatherAsDeployed();
    const labels = { route: "/v1/orgs/{id}", method: "GET", status: "401" };
    const before = await countOf("svc_requests_total", labels);
    for (let time = 1; time <= 5; time += 1) {
      await call("GET", `/v1/orgs/org_${time}`);
      expect(await countOf("svc_requests_total", labels)).toBe(before + time);
    }
  });
});
