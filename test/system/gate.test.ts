import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Server, startServer } from "../../scripts/server.ts";

/** Four isolates over the same objects, as `ISOLATES=4 npm start` serves them, but with clocks set hours apart. */
const ISOLATES = 4;
const RUNS = 4;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read answers as their callers do, by path
  readonly body: any;
}

interface Org {
  readonly id: string;
  readonly key: string;
}

const folder = mkdtempSync(join(tmpdir(), "sluice-gate-"));
let server: Server;

beforeAll(async () => {
  server = await startServer({
    port: 0,
    dataDir: folder,
    isolates: ISOLATES,
    entry: "test/support/odd-worker.ts",
  });
  const apart = [0, 3_600_000, -7_200_000, 45_000];
  for (const [isolate, ms] of apart.entries()) {
    await fetch(`${server.urls[isolate]}/healthz`, { headers: { "x-test-apart-ms": String(ms) } });
  }
});

afterAll(async () => {
  await server.dispose();
  rmSync(folder, { recursive: true, force: true });
});

async function call(
  isolate: number,
  method: string,
  path: string,
  key: string,
  body?: object,
): Promise<Answer> {
  const url = server.urls[isolate % server.urls.length] ?? server.urls[0];
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === "" ? null : JSON.parse(text),
  };
}

async function newOrg(): Promise<Org> {
  const operator = server.settings["SVC_OPERATOR_KEY"] ?? "";
  const { body } = await call(0, "POST", "/v1/admin/orgs", operator, { name: "gate" });
  return { id: body.org.id, key: body.owner_key };
}

async function budget(org: Org, limit: string): Promise<string> {
  const body = { scope_kind: "org", limit_usd: limit, period: "month", mode: "enforce" };
  return (await call(0, "POST", `/v1/orgs/${org.id}/budgets`, org.key, body)).body.id;
}

function decide(org: Org, isolate: number, more: object = {}): Promise<Answer> {
  return call(isolate, "POST", "/v1/edge/decision", org.key, { estimate: { cost_usd: "0.01" }, ...more });
}

async function reserved(org: Org, id: string): Promise<string> {
  return (await call(0, "GET", `/v1/orgs/${org.id}/budgets/${id}`, org.key)).body.reserved_usd;
}

/** Calls from several clients at once, spread over the isolates, until there were so many. */
async function drive(org: Org, calls: number, clients = 16, more: (n: number) => object = () => ({})) {
  const answers: Answer[] = [];
  let sent = 0;
  const one = async (): Promise<void> => {
    while (sent < calls) {
      sent += 1;
      answers.push(await decide(org, sent, more(sent)));
    }
  };
  await Promise.all(Array.from({ length: clients }, one));
  return answers;
}

const allowed = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 200);
const seconds = (count: number) => new Promise((resolve) => setTimeout(resolve, count * 1000));

test("four isolates never hold a nano-dollar over a limit, with evictions and limits changed in flight", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 40, max: 260 }),
      fc.array(fc.constantFrom("evict", "raise", "none"), { minLength: 2, maxLength: 3 }),
      async (cents, events) => {
        const org = await newOrg();
        let limit = cents;
        const id = await budget(org, (limit / 100).toFixed(2));
        let admitted = 0;
        for (const event of events) {
          const [answers] = await Promise.all([
            drive(org, 130),
            event === "evict" ? server.evict(org.id) : Promise.resolve(),
          ]);
          admitted += allowed(answers).length;
          expect(answers.every(({ status }) => [200, 402, 503].includes(status))).toBe(true);
          expect(admitted).toBeLessThanOrEqual(limit);
          if (event === "raise") {
            limit += 25;
            const body = { limit_usd: (limit / 100).toFixed(2) };
            await call(1, "PATCH", `/v1/orgs/${org.id}/budgets/${id}`, org.key, body);
          }
        }
        await seconds(1.5);
        expect(await reserved(org, id)).toBe((admitted / 100).toFixed(2));
        const rest = await drive(org, limit - admitted + 5, 4);
        expect(allowed(rest)).toHaveLength(limit - admitted);
      },
    ),
    { numRuns: RUNS },
  );
});

test("steady traffic far from a limit is decided in the isolates, and each hold is kept once", async () => {
  const org = await newOrg();
  const id = await budget(org, "100000");
  const answers = await drive(org, 1200, 16, (n) => ({ request_id: `req-${n}` }));
  expect(allowed(answers)).toHaveLength(1200);
  const here = answers.filter(({ headers }) => headers.get("x-svc-decided") === "edge");
  expect(here.length / answers.length).toBeGreaterThan(0.8);
  await seconds(1.5);
  expect(await reserved(org, id)).toBe("12.00");
});

test("one request asked in every isolate holds once, under one name", async () => {
  const org = await newOrg();
  const id = await budget(org, "100000");
  await drive(org, 300);
  await seconds(1);
  const before = Number(await reserved(org, id));
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, isolate) => decide(org, isolate, { request_id: "the-one" })),
  );
  expect(new Set(answers.map(({ body }) => body.reservation.id)).size).toBe(1);
  expect(new Set(answers.map(({ body }) => body.decision_id)).size).toBe(1);
  await seconds(1.5);
  expect(Number(await reserved(org, id))).toBeCloseTo(before + 0.01, 9);
});

test("a limit is refused by in the isolates, and a lowered one as soon as the change is answered", async () => {
  const org = await newOrg();
  const id = await budget(org, "100000");
  await drive(org, 200);
  const body = { limit_usd: "0.50" };
  expect((await call(0, "PATCH", `/v1/orgs/${org.id}/budgets/${id}`, org.key, body)).status).toBe(200);
  const answers = await drive(org, 80);
  expect(allowed(answers)).toHaveLength(0);
  expect(answers.every(({ body: { error } }) => error.code === "budget_exceeded")).toBe(true);
  expect(answers.some(({ headers }) => headers.get("x-svc-decided") === "edge")).toBe(true);
});

test("a key that was revoked is refused in every isolate once the revocation has answered", async () => {
  const org = await newOrg();
  const minted = await call(0, "POST", `/v1/orgs/${org.id}/keys`, org.key, { name: "x", role: "developer" });
  const other = { id: org.id, key: minted.body.key as string };
  await drive(other, 60);
  await call(2, "DELETE", `/v1/orgs/${org.id}/keys/${minted.body.id}`, org.key);
  const answers = await drive(other, 12);
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: answers.length }, () => 410));
});

test("in no minute are more requests admitted over all isolates than a rate limit allows", async () => {
  const org = await newOrg();
  const operator = server.settings["SVC_OPERATOR_KEY"] ?? "";
  const policy = { name: "all", match: {}, unit: "requests", limit: 150, window_seconds: 60, kind: "rate" };
  const body = { read_rpm: null, policies: [{ ...policy, match: { route: "POST /v1/edge/decision" } }] };
  await call(0, "PUT", `/v1/admin/orgs/${org.id}/rate-limits`, operator, body);
  const answers = await drive(org, 400);
  expect(allowed(answers)).toHaveLength(150);
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(250);
  expect(
    refused.every(
      ({ headers, body: { error } }) =>
        headers.get("retry-after") === String(error.details.retry_after_seconds),
    ),
  ).toBe(true);
});

test("a run settles a hold that its isolate has not reported yet", async () => {
  const org = await newOrg();
  const id = await budget(org, "100000");
  await drive(org, 200);
  const decision = await decide(org, 1);
  const run = {
    started_at: new Date().toISOString(),
    model: "m",
    usage: { input_tokens: 1, output_tokens: 1 },
    cost_usd: "0.004",
    reservation_id: decision.body.reservation.id,
  };
  const recorded = await call(2, "POST", "/v1/runs", org.key, run);
  expect(recorded.status).toBe(201);
  await seconds(1.5);
  expect(await reserved(org, id)).toBe("2.00");
});

/** Last, because the isolate stays gone. */
test("of an isolate that vanishes nothing comes back early: what it may have held stays held", async () => {
  const org = await newOrg();
  const id = await budget(org, "3.00");
  const first = await drive(org, 120);
  await fetch(`${server.urls[3]}/healthz`, { headers: { "x-test-vanish": "1" } });
  const second = await drive(org, 300);
  const admitted = allowed([...first, ...second]).length;
  expect(admitted).toBeLessThanOrEqual(300);
  await seconds(2);
  const rest = await drive(org, 60, 4);
  expect(admitted + allowed(rest).length).toBeLessThanOrEqual(300);
  expect(Number(await reserved(org, id))).toBeLessThanOrEqual(3);
});
