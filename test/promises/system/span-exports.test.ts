import { readFileSync } from "node:fs";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type OtlpReceiver, type SpanFate, startOtlpReceiver } from "../../support/otlp-receiver.ts";
import type { Demo } from "../../../scripts/demo.ts";
import { governed } from "../../support/governed.ts";
import {
  call as callShared,
  type Caller,
  callerAt,
  type ServerFixture,
  serverFixture,
  sharedServer,
} from "../../support/server.ts";

let fixture: ServerFixture;
let call: Caller;
let receiver: OtlpReceiver;

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  fixture = await serverFixture({ settings: { SVC_WEBHOOK_ALLOW_PRIVATE: "true" } });
  call = callerAt(fixture.server.urls[0]);
});
afterAll(async () => {
  await fixture.end();
  await receiver.stop();
});

const DAY = 86_400;

/** The same numbers each time. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

async function newOrg() {
  const operator = fixture.server.settings["SVC_OPERATOR_KEY"] ?? "";
  const made = await call("POST", "/v1/admin/orgs", {
    key: operator,
    body: { name: "Acme", environment: "test" },
  });
  const { org, owner_key: key } = made.body as { org: { id: string }; owner_key: string };
  const send = (method: string, path: string, body?: object) =>
    call(method, `/v1/orgs/${org.id}/${path}`, { key, ...(body === undefined ? {} : { body }) });
  return {
    key,
    send,
    state: async () => (await send("GET", "exports/spans")).body,
    /** Does what is due by then. */
    async advance(seconds: number): Promise<void> {
      const path = `/v1/admin/orgs/${org.id}/test-clock`;
      const moved = await call("POST", path, { key: operator, body: { advance_seconds: seconds } });
      expect(moved.status).toBe(200);
    },
    async bulk(ids: readonly string[]): Promise<void> {
      const runs = ids.map((id) => ({
        id,
        started_at: new Date().toISOString(),
        model: "acme/m1",
        usage: { input_tokens: 10, output_tokens: 5 },
        cost_usd: "0.001",
      }));
      const recorded = await call("POST", "/v1/runs/bulk", { key, body: { runs } });
      expect(recorded.body).toMatchObject({ accepted: ids.length });
    },
    async refuse(): Promise<void> {
      const body = { estimate: { cost_usd: "1000" }, customer_id: "c" };
      const refused = await call("POST", "/v1/edge/decision", { key, body });
      expect(refused.status).toBe(402);
    },
  };
}
type Org = Awaited<ReturnType<typeof newOrg>>;

async function caughtUp(org: Org): Promise<void> {
  for (let tries = 0; tries < 60; tries += 1) {
    await org.advance(400);
    const { lag_seconds: lag, last_error: error } = await org.state();
    if (lag === 0 && error === null) return;
  }
  throw new Error("it did not catch up");
}

const runsOf = (spans: OtlpReceiver["taken"]) =>
  spans.flatMap(({ attributes, spanId, traceId }) => {
    const id = attributes["sluice.run_id"];
    return typeof id === "string" ? [{ id, span: `${traceId}-${spanId}` }] : [];
  });

test("spans arrive at least once, in order and under one id, through failures and kills of either side", async () => {
  const org = await newOrg();
  await org.send("PUT", "spend-cap", { cap_usd: "500" });
  const set = await org.send("PUT", "exports/spans", {
    destination: { kind: "otlp", endpoint: receiver.endpoint },
  });
  expect(set.status).toBe(200);
  const random = seeded(7);
  const fates: readonly SpanFate[] = ["pass", "lost", "busy", "broken", "endless"];
  receiver.fate = () => fates[receiver.requests % fates.length] ?? "pass";
  const [ids, refused]: [string[], { count: number }] = [[], { count: 0 }];
  for (let round = 0; round < 18; round += 1) {
    const named = Array.from({ length: 1 + random(120) }, (_, n) => `r${round}-${n}`);
    ids.push(...named);
    await org.bulk(named);
    if (random(2) === 0) {
      await org.refuse();
      refused.count += 1;
    }
    if (round % 6 === 2) await receiver.stop();
    if (round % 6 === 4) await receiver.start();
    if (round % 8 === 7) {
      // The object goes down while a request is on its way.
      const usual = receiver.fate;
      const before = receiver.requests;
      receiver.fate = () => "held";
      const moved = org.advance(400).catch(() => undefined);
      if (round % 6 < 2 || round % 6 > 3) await expect.poll(() => receiver.requests).toBeGreaterThan(before);
      await org.send("GET", "refusals");
      await fixture.server.crash();
      await moved;
      receiver.fate = usual;
    } else await org.advance(random(120));
  }
  receiver.fate = () => "pass";
  await org.send("GET", "refusals");
  await caughtUp(org);
  const runs = runsOf(receiver.taken);
  const first = new Map<string, string>();
  for (const { id, span } of runs) {
    expect(first.get(id) ?? span).toBe(span);
    first.set(id, span);
  }
  expect([...first.keys()]).toEqual(ids);
  expect(new Set(first.values()).size).toBe(ids.length);
  expect(receiver.requests).toBeGreaterThan(2 * fates.length);
  // Some answers were lost, so some came twice.
  expect(runs.length).toBeGreaterThan(ids.length);
  const refusals = new Set(receiver.taken.map(({ attributes }) => attributes["sluice.refusal_id"]));
  refusals.delete(undefined);
  expect(refusals.size).toBe(refused.count);
  expect(receiver.strange).toEqual([]);
  const { spans } = await org.state();
  expect(spans).toMatchObject({ sent: ids.length + refused.count, rejected: 0, dropped: 0 });
}, 600_000);

test("a receiver that is down for a day loses what is older, which is counted, and nothing else", async () => {
  const org = await newOrg();
  const destination = { kind: "otlp", endpoint: receiver.endpoint };
  await org.send("PUT", "exports/spans", { destination });
  await receiver.stop();
  await org.bulk(["old-1", "old-2", "old-3"]);
  await org.advance(3600);
  await org.bulk(["young-1", "young-2"]);
  await org.advance(DAY - 3600 + 300);
  await receiver.start();
  const before = receiver.taken.length;
  await caughtUp(org);
  expect(runsOf(receiver.taken.slice(before)).map(({ id }) => id)).toEqual(["young-1", "young-2"]);
  expect((await org.state()).spans).toMatchObject({ sent: 2, rejected: 0, dropped: 3 });
}, 600_000);

test("a call through the proxy is a span below its caller's", async () => {
  const { proxy_url: proxyUrl } = JSON.parse(
    readFileSync(`${sharedServer().dataDir}/demo.json`, "utf8"),
  ) as Demo;
  const org = await governed();
  const destination = { kind: "otlp", endpoint: receiver.endpoint };
  const set = await callShared("PUT", `/v1/orgs/${org.org}/exports/spans`, {
    key: org.key,
    body: { destination },
  });
  expect(set.status).toBe(200);
  const before = receiver.taken.length;
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  const client = new OpenAI({
    apiKey: org.key,
    baseURL: `${proxyUrl}/openai/v1`,
    defaultHeaders: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
  });
  const messages = [{ role: "user" as const, content: "20 words" }];
  await client.chat.completions.create({ model: "gpt-4o-mini", messages });
  await expect.poll(() => receiver.taken.length).toBeGreaterThan(before);
  const [span] = receiver.taken.slice(before);
  expect([span?.traceId, span?.parentSpanId]).toEqual([traceId, "00f067aa0ba902b7"]);
  expect(span?.attributes).toMatchObject({
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "gpt-4o-mini",
    "gen_ai.usage.output_tokens": 20,
  });
}, 120_000);
