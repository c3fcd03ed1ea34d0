import { Hono } from "hono";
import parsePrometheusTextFormat from "parse-prometheus-text-format";
import { describe, expect, test } from "vitest";
import { DEPRECATED_ROUTES } from "../../src/contract/deprecations.ts";
import { metrics } from "../../src/web/metrics.ts";
import { call, env, newOrg } from "../support/worker.ts";

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

  test("has a series for exactly the deprecated routes", async () => {
    const listed = (await call("GET", "/v1/meta/deprecations")).body as { route: string }[];
    const labels = (await scrape())
      .get("svc_deprecated_route_calls_total")
      ?.map((one) => one.labels?.["route"]);
    expect(new Set(labels)).toEqual(new Set(listed.map(({ route }) => route)));
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
