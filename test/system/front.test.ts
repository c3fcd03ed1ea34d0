import { afterAll, beforeAll, expect, test } from "vitest";
import type { HttpAnswer, HttpOptions } from "../support/http.ts";
import { type Caller, callerAt, type ServerFixture, serverFixture } from "../support/server.ts";

/** The front Worker, which decides by itself and hands everything else on. Callers see no difference. */

const MOST_ASKS = 400;
const DECISION = "/v1/edge/decision";

let fixture: ServerFixture;
let whole: Caller;
let front: Caller;

beforeAll(async () => {
  fixture = await serverFixture({ isFronted: true });
  whole = callerAt(fixture.server.urls[0]);
  front = callerAt(fixture.server.frontUrl ?? "");
});

afterAll(() => fixture.end());

interface Org {
  readonly id: string;
  readonly key: string;
}

async function newOrg(): Promise<Org> {
  const key = fixture.server.settings["SVC_OPERATOR_KEY"] ?? "";
  const { body } = await front("POST", "/v1/admin/orgs", { key, body: { name: "Front" } });
  const rates = { read_rpm: 1_000_000, policies: [] };
  await front("PUT", `/v1/admin/orgs/${body.org.id}/rate-limits`, { key, body: rates });
  return { id: body.org.id, key: body.owner_key };
}

async function newBudget({ id, key }: Org, limit_usd: string): Promise<string> {
  const body = { scope_kind: "org", limit_usd, period: "month", mode: "enforce" };
  const made = await front("POST", `/v1/orgs/${id}/budgets`, { key, body });
  expect(made.status).toBe(201);
  return made.body.id;
}

const ask = (call: Caller, { key }: Org, cost_usd: string) =>
  call("POST", DECISION, { key, body: { estimate: { cost_usd } } });

const decidedAt = ({ headers }: HttpAnswer) => headers.get("x-svc-decided");

/** Asks until the front's isolate answers by itself. */
async function expectAtEdge(org: Org, cost_usd: string, status: number): Promise<void> {
  let answer = await ask(front, org, cost_usd);
  for (let asked = 0; asked < MOST_ASKS && decidedAt(answer) !== "edge"; asked += 1) {
    answer = await ask(front, org, cost_usd);
  }
  expect([answer.status, decidedAt(answer)]).toEqual([status, "edge"]);
}

/** What differs between any two answers to the same request. */
const OWN = new Set(["x-svc-trace-id", "date", "etag"]);

function shown({ status, headers, body }: HttpAnswer) {
  const names = [...headers.keys()].filter((name) => !OWN.has(name)).sort();
  return { status, names, type: headers.get("content-type"), code: body?.error?.code ?? null };
}

const BODY = { estimate: { cost_usd: "0.01" } };
test.each<[string, string, string, (key: string) => HttpOptions]>([
  ["a decision", "POST", DECISION, (key) => ({ key, body: BODY })],
  ["a dry run", "POST", DECISION, (key) => ({ key, body: { ...BODY, dry_run: true } })],
  ["no key", "POST", DECISION, () => ({ body: BODY })],
  ["an unknown key", "POST", DECISION, (key) => ({ key: `${key.slice(0, -1)}~`, body: BODY })],
  ["a field too many", "POST", DECISION, (key) => ({ key, body: { ...BODY, nonsense: 1 } })],
  ["no estimate", "POST", DECISION, (key) => ({ key, body: {} })],
  ["no JSON", "POST", DECISION, (key) => ({ key, text: "{" })],
  ["a body that is too large", "POST", DECISION, (key) => ({ key, text: `"${"x".repeat(300_000)}"` })],
  ["another method", "GET", DECISION, (key) => ({ key })],
  ["a query", "POST", `${DECISION}?x=1`, (key) => ({ key, body: BODY })],
  ["a query that ends like the path", "POST", `/v1/runs?x=${DECISION}`, (key) => ({ key, body: BODY })],
  ["another spelling", "POST", "/v1/edge/%64ecision", (key) => ({ key, body: BODY })],
  ["options", "OPTIONS", DECISION, () => ({})],
  ["a list", "GET", "/v1/runs", (key) => ({ key })],
  ["no such path", "GET", "/v1/nothing", (key) => ({ key })],
  ["health", "GET", "/healthz", () => ({})],
  ["the console", "GET", "/console", () => ({})],
])("%s is answered as by the whole Worker", async (_, method, path, options) => {
  const { key } = await newOrg();
  const behind = await whole(method, path, options(key));
  const before = await front(method, path, options(key));
  expect(shown(before)).toEqual(shown(behind));
});

test("a steady caller is allowed and refused in the front's own isolate", async () => {
  const org = await newOrg();
  await newBudget(org, "1.00");
  await expectAtEdge(org, "0.001", 200);
  await expectAtEdge(org, "50", 402);
});

test("after a call through the front gave something back, the next ask finds it, and callers see no trace of that", async () => {
  const org = await newOrg();
  const budget = await newBudget(org, "1.00");
  const held = await ask(front, org, "0.90");
  expect(held.status).toBe(200);
  await expectAtEdge(org, "0.50", 402);
  const released = await front("DELETE", `${DECISION}/${held.body.reservation.id}`, { key: org.key });
  expect(released.status).toBeLessThan(300);
  expect([...released.headers.keys()]).not.toContain("x-svc-freed");
  expect((await ask(front, org, "0.50")).status).toBe(200);
  await expectAtEdge(org, "0.70", 402);
  const path = `/v1/orgs/${org.id}/budgets/${budget}`;
  expect((await front("PATCH", path, { key: org.key, body: { limit_usd: "5.00" } })).status).toBe(200);
  expect((await ask(front, org, "0.70")).status).toBe(200);
});

test("the whole Worker tells nobody but the front", async () => {
  const org = await newOrg();
  const { body } = await ask(whole, org, "0.10");
  const released = await whole("DELETE", `${DECISION}/${body.reservation.id}`, { key: org.key });
  expect(released.status).toBeLessThan(300);
  expect([...released.headers.keys()]).not.toContain("x-svc-freed");
});

test("front and whole Worker together never pass a limit", async () => {
  const org = await newOrg();
  const budget = await newBudget(org, "1.00");
  const ways = [front, whole];
  let allowed = 0;
  const caller = async (n: number): Promise<void> => {
    for (let asked = 0; asked < 40; asked += 1) {
      const { status } = await ask(ways[(n + asked) % 2] ?? front, org, "0.01");
      if (status === 200) allowed += 1;
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, n) => caller(n)));
  expect(allowed).toBeLessThanOrEqual(100);
  const reserved = async () =>
    Number((await front("GET", `/v1/orgs/${org.id}/budgets/${budget}`, { key: org.key })).body.reserved_usd);
  await expect.poll(reserved).toBeCloseTo(allowed / 100, 6);
});

test("a key that was revoked through the front is refused", async () => {
  const org = await newOrg();
  const scopes = ["decisions:evaluate"];
  const minted = await front("POST", `/v1/orgs/${org.id}/keys`, {
    key: org.key,
    body: { name: "edge", role: "developer", scopes },
  });
  expect(minted.status).toBe(201);
  const other = { id: org.id, key: minted.body.key as string };
  expect((await ask(front, other, "0.01")).status).toBe(200);
  const revoked = await front("DELETE", `/v1/orgs/${org.id}/keys/${minted.body.id}`, { key: org.key });
  expect(revoked.status).toBeLessThan(300);
  await expect.poll(async () => (await ask(front, other, "0.01")).status).toBe(410);
});

test.each([
  ["allowed decisions", /svc_decisions_total\{[^}]*verdict="allow"[^}]*\} (\d+)/g, { cost_usd: "0.01" }],
  [
    "refused requests",
    /svc_requests_total\{route="\/v1\/edge\/decision"[^}]*status="422"\} (\d+)/g,
    { nonsense: 1 },
  ],
])("%s of the front are counted", async (_, series, estimate) => {
  const { key } = await newOrg();
  const counted = async () => {
    const { text } = await whole("GET", "/metrics");
    return [...text.matchAll(series)].reduce((sum, [, count]) => sum + Number(count), 0);
  };
  const before = await counted();
  for (let asked = 0; asked < 5; asked += 1) await front("POST", DECISION, { key, body: { estimate } });
  await expect.poll(counted).toBeGreaterThanOrEqual(before + 5);
});
