import { runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { findRun } from "../../src/org/runs/store.ts";
import { DENIED_HEADERS, headerObject } from "../support/denied-headers.ts";
import { backup, forget, sendArchive } from "../support/backup.ts";
import { newSpender, type Spender } from "../support/ledger.ts";
import { alike, asSdkWrites, spansIn } from "../support/otlp.ts";
import { arrivedAt, hanging, receivedAt, receiver, takeNetwork } from "../support/receivers.ts";
import { rowsOf } from "../support/rows.ts";
import { TRACE, SPAN, PARENT, SECRET, exporting, arrived, stateOf } from "../support/span-exports.ts";
import { call, env } from "../support/worker.ts";

const DAY = 86_400;
beforeEach(takeNetwork);

const idsAt = (url: string) => arrived(url).map(({ attributes }) => attributes["sluice.run_id"]);

function extraOf(org: Spender, id: string) {
  return runInDurableObject(
    env.ORG.getByName(org.id),
    (_object, { storage }) => findRun(storage.sql, id)?.extra,
  );
}

async function refuse(org: Spender, headers: Record<string, string> = {}) {
  const body = { estimate: { cost_usd: "1000000" }, model: "m", customer_id: "acme" };
  return call("POST", "/v1/edge/decision", { key: org.key, body, headers });
}

const capped = (org: Spender) => org.send("PUT", "spend-cap", { cap_usd: "100" });

describe("each run is sent as a span", () => {
  test("soon, once, in order, below the caller's span, with the headers that were set", async () => {
    const { org, url } = await exporting();
    await org.run({ id: "a", cost_usd: "1" }, { traceparent: PARENT });
    await org.bulk([{ ...aRun("b"), traceparent: `00-${TRACE}-${"1".repeat(16)}-01` }, aRun("c")]);
    expect(idsAt(url)).toEqual([]);
    await org.advance(6);
    expect(idsAt(url)).toEqual(["a", "b", "c"]);
    const [a, b, c] = arrived(url);
    expect([a?.traceId, a?.parentSpanId, a?.attributes["sluice.cost_usd"]]).toEqual([TRACE, SPAN, 1]);
    expect([b?.traceId, b?.parentSpanId]).toEqual([TRACE, "1".repeat(16)]);
    expect(c?.parentSpanId).toBeUndefined();
    const [request] = receivedAt(url);
    expect(request?.headers.get("authorization")).toBe(SECRET);
    expect(request?.headers.get("content-type")).toBe("application/json");
    expect(alike(JSON.parse(request?.body ?? ""))).toEqual(asSdkWrites(request?.body ?? ""));
    await org.advance(600);
    expect(idsAt(url)).toHaveLength(3);
    expect(await stateOf(org)).toMatchObject({
      format: "otlp",
      every: "minute",
      last_error: null,
      lag_seconds: 0,
      spans: { sent: 3, rejected: 0, dropped: 0, next_attempt_at: null },
    });
    expect(await rowsOf(org.id, "SELECT * FROM due WHERE kind = 'export'")).toEqual([]);
  });

  test("many at once are several bounded requests, in order", async () => {
    const { org, url } = await exporting();
    const all = Array.from({ length: 1200 }, (_, at) => aRun(`r${at}`));
    for (let at = 0; at < all.length; at += 400) await org.bulk(all.slice(at, at + 400));
    await org.advance(6);
    expect(idsAt(url)).toEqual(all.map(({ id }) => id));
    expect(receivedAt(url).map(({ body }) => spansIn(body).length)).toEqual([500, 500, 200]);
  });

  test("an org without such an export stores no trace and plans nothing", async () => {
    const org = await newSpender();
    await org.run({ id: "a" }, { traceparent: PARENT });
    expect((await extraOf(org, "a"))?.trace).toBeUndefined();
    const { org: other } = await exporting();
    await other.run({ id: "a" }, { traceparent: PARENT });
    expect((await extraOf(other, "a"))?.trace).toBe(`${TRACE}-01-${SPAN}`);
    expect(await rowsOf(org.id, "SELECT * FROM due WHERE kind = 'export'")).toEqual([]);
  });
});

describe("a receiver that fails", () => {
  test("gets the same spans again, and nothing is lost within a day", async () => {
    let isDown = true;
    const { org, url } = await exporting(() => new Response("no", { status: isDown ? 503 : 200 }));
    await org.run({ id: "a" });
    await org.advance(6);
    await org.run({ id: "b" });
    for (let hour = 0; hour < 23; hour += 1) await org.advance(3600);
    const failing = await stateOf(org);
    expect(failing).toMatchObject({ last_error: "status 503", spans: { sent: 0, dropped: 0 } });
    expect(failing.lag_seconds).toBeGreaterThan(22 * 3600);
    isDown = false;
    const before = arrived(url).length;
    await org.advance(600);
    const taken = arrived(url).slice(before);
    expect(taken.map(({ attributes }) => attributes["sluice.run_id"])).toEqual(["a", "b"]);
    const ids = new Map(arrived(url).map((span) => [span.attributes["sluice.run_id"], span.spanId]));
    expect(taken.map(({ spanId }) => spanId)).toEqual([ids.get("a"), ids.get("b")]);
    expect(await stateOf(org)).toMatchObject({
      last_error: null,
      lag_seconds: 0,
      spans: { sent: 2, dropped: 0 },
    });
  });

  test("what waits for longer than a day is dropped and counted", async () => {
    let isDown = true;
    const { org, url } = await exporting(() => new Response("no", { status: isDown ? 500 : 200 }));
    await capped(org);
    await org.run({ id: "old", cost_usd: "1" });
    await refuse(org);
    await org.send("GET", "refusals");
    await org.advance(DAY + 60);
    await org.run({ id: "new", cost_usd: "1" });
    isDown = false;
    const before = arrived(url).length;
    await org.advance(600);
    expect(
      arrived(url)
        .slice(before)
        .map(({ attributes }) => attributes["sluice.run_id"]),
    ).toEqual(["new"]);
    expect(await stateOf(org)).toMatchObject({ spans: { sent: 1, dropped: 2, rejected: 0 } });
  });

  test("gets what waits from the org's next home, each once", async () => {
    let isDown = false;
    const { org, url } = await exporting(() => new Response("no", { status: isDown ? 503 : 200 }));
    await capped(org);
    await org.run({ id: "sent", cost_usd: "1" });
    await org.advance(6);
    isDown = true;
    await org.run({ id: "waits", cost_usd: "1" });
    await refuse(org);
    await org.send("GET", "refusals");
    await org.advance(60);
    const tried = new Set(arrived(url).map(({ spanId }) => spanId));
    const archive = await backup(org.id);
    await forget(org.id);
    expect((await sendArchive(archive)).status).toBe(201);
    isDown = false;
    const before = arrived(url).length;
    await org.advance(600);
    const taken = arrived(url).slice(before);
    expect(taken.map(({ attributes }) => attributes["sluice.run_id"])).toEqual(["waits", undefined]);
    expect(taken.every(({ spanId }) => tried.has(spanId))).toBe(true);
    expect(await stateOf(org)).toMatchObject({
      spans: { sent: 3, dropped: 0, rejected: 0 },
      last_error: null,
    });
  });

  test("says when to come back, but not for longer than an hour", async () => {
    const { org, url } = await exporting(
      (nth) => new Response("no", { status: nth === 1 ? 429 : 200, headers: { "retry-after": "86400000" } }),
    );
    await org.run({ id: "a" });
    await org.advance(6);
    await org.advance(1800);
    expect(receivedAt(url)).toHaveLength(1);
    await org.advance(1801);
    expect(receivedAt(url)).toHaveLength(2);
  });

  test("that rejects some for good is believed", async () => {
    const partial = { partialSuccess: { rejectedSpans: "1", errorMessage: SECRET } };
    const { org, url } = await exporting(() => Response.json(partial));
    await org.bulk([aRun("a"), aRun("b")]);
    await org.advance(60);
    expect(receivedAt(url)).toHaveLength(1);
    const state = await org.send("GET", "exports/spans");
    expect(state.body).toMatchObject({ spans: { sent: 1, rejected: 1, dropped: 0 }, last_error: null });
    expect(state.text).not.toContain(SECRET);
  });

  test("one span that it cannot read does not keep the others back", async () => {
    const { org, url } = await exporting();
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      const body = await new Request(input, init).text();
      taken.push(...(body.includes("poison") ? [] : spansIn(body)));
      return new Response("", { status: body.includes("poison") ? 400 : 200 });
    });
    const taken: ReturnType<typeof spansIn> = [];
    expect(url).toContain("/v1/traces");
    await org.bulk(["a", "b", "poison", "c", "d"].map(aRun));
    for (let minute = 0; minute < 10; minute += 1) await org.advance(60);
    expect(taken.map(({ attributes }) => attributes["sluice.run_id"])).toEqual(["a", "b", "c", "d"]);
    expect(await stateOf(org)).toMatchObject({ spans: { sent: 4, rejected: 1 }, last_error: null });
  });

  test("redirects are not followed", async () => {
    const elsewhere = receiver();
    const { org } = await exporting(
      () => new Response(null, { status: 307, headers: { location: elsewhere } }),
    );
    await org.run({ id: "a" });
    await org.advance(60);
    expect(receivedAt(elsewhere)).toEqual([]);
    expect(await stateOf(org)).toMatchObject({ last_error: "status 307", spans: { sent: 0 } });
  });

  test("an endless answer does not hold anything up", async () => {
    const endless = () =>
      new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(123)),
        }),
      );
    const { org } = await exporting(endless);
    await org.run({ id: "a" });
    await org.advance(60);
    expect(await stateOf(org)).toMatchObject({ spans: { sent: 1 }, last_error: null });
  });
});

describe("the headers of a receiver", () => {
  test("are encrypted, and are in no answer, audit entry or event", async () => {
    const { org, set, destination } = await exporting();
    const { headers: _, ...shown } = destination;
    expect(set.body.destination).toEqual({ ...shown, prefix: "", header_names: ["authorization"] });
    const [read, listed, audit] = [
      await org.send("GET", "exports/spans"),
      await org.send("GET", "exports"),
      await org.send("GET", "audit-log"),
    ];
    expect(audit.text).toContain("export.set");
    const rows = await rowsOf(org.id, "SELECT * FROM exports, span_exports");
    for (const text of [set.text, read.text, listed.text, audit.text, JSON.stringify(rows)]) {
      expect(text).not.toContain("a-secret");
    }
    expect(JSON.stringify(await org.events())).not.toContain("a-secret");
  });

  test("are given again with each change: without them none is sent", async () => {
    const { org, url, destination } = await exporting();
    const { headers: _, ...bare } = destination;
    await org.send("PUT", "exports/spans", { destination: bare });
    await org.run({ id: "a" });
    await org.advance(60);
    expect(receivedAt(url)[0]?.headers.has("authorization")).toBe(false);
  });
});

describe("an export of spans is refused", () => {
  test.each([
    ["format", { format: "csv" }],
    ["every", { every: "hour" }],
    ["destination.endpoint", { endpoint: "ftp://x.test" }],
    ["destination.endpoint", { endpoint: "https://user:pass@x.test" }],
    ["destination.endpoint", { endpoint: "https://x.test/v1/traces?key=1" }],
    ["destination.headers.Host", { headers: { Host: "x" } }],
    ["destination.headers.content-length", { headers: { "content-length": "0" } }],
    ["destination.headers.x-forwarded-for", { headers: { "x-forwarded-for": "10.0.0.1" } }],
    ["destination.headers.a b", { headers: { "a b": "x" } }],
    ["destination.headers.a", { headers: { a: "x\r\nb: c" } }],
    [
      "destination.headers",
      { headers: Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`a${at}`, "b"])) },
    ],
    ["destination.prefix", { prefix: "p" }],
  ])("at %s", async (field, more) => {
    const org = await newSpender();
    const { format, every, ...to } = more as Record<string, unknown>;
    const body = {
      ...(format === undefined ? {} : { format }),
      ...(every === undefined ? {} : { every }),
      destination: { kind: "otlp", endpoint: "https://otlp.example.com", ...to },
    };
    const { status, body: answer } = await org.send("PUT", "exports/e", body);
    expect([status, answer.error?.details.fields[0].field]).toEqual([422, field]);
  });

  test("at each header that nobody sets, in any case", async () => {
    const org = await newSpender();
    for (const name of [...DENIED_HEADERS, "traceparent"]) {
      const to = { kind: "otlp", endpoint: "https://otlp.example.com", headers: headerObject(name) };
      const { status, body } = await org.send("PUT", "exports/e", { destination: to });
      const fields = body.error?.details.fields.map(({ field }: { field: string }) => field);
      expect([status, fields]).toEqual([422, [`destination.headers.${name}`]]);
    }
    const keys = { Authorization: "Bearer a", "Api-Key": "b", "x-honeycomb-team": "c" };
    const to = { kind: "otlp", endpoint: "https://otlp.example.com", headers: keys };
    expect((await org.send("PUT", "exports/e", { destination: to })).status).toBe(200);
  });

  test.each([
    ["format", { format: "otlp" }],
    ["every", { every: "minute" }],
    ["format", { format: undefined }],
  ])("files: at %s", async (field, more) => {
    const org = await newSpender();
    const files = { format: "csv", every: "day", destination: { kind: "bucket" }, ...more };
    const { status, body } = await org.send("PUT", "exports/e", files);
    expect([status, body.error?.details.fields[0].field]).toEqual([422, field]);
  });
});

test("an answer to what was sent before a change says nothing of what is sent after it", async () => {
  const hung = hanging();
  const { org, url } = await exporting(() => hung.answer(1));
  await org.run({ id: "a" });
  const moved = org.advance(6);
  await arrivedAt(url, 1);
  const other = receiver(undefined, "/v1/traces");
  const destination = { kind: "otlp", endpoint: new URL(other).origin };
  expect((await org.send("PUT", "exports/spans", { destination })).status).toBe(200);
  hung.release();
  await moved;
  await org.advance(60);
  expect(idsAt(other)).toEqual(["a"]);
  expect(await stateOf(org)).toMatchObject({ spans: { sent: 1 } });
});

test("an export that becomes another kind begins anew, and one that is deleted sends nothing more", async () => {
  const { org, url, destination } = await exporting(() => new Response("", { status: 500 }));
  await org.run({ id: "a" });
  await org.advance(60);
  const files = { format: "csv", every: "hour", destination: { kind: "bucket" } };
  expect((await org.send("PUT", "exports/spans", files)).body).toMatchObject({
    spans: null,
    last_error: null,
  });
  expect(await rowsOf(org.id, "SELECT * FROM span_exports")).toEqual([]);
  const before = receivedAt(url).length;
  await org.run({ id: "b" });
  await org.advance(60);
  expect(receivedAt(url)).toHaveLength(before);
  expect((await org.send("PUT", "exports/spans", { destination })).body.spans).toMatchObject({ sent: 0 });
  expect((await org.send("GET", "exports/spans/windows")).body.data).toEqual([]);
  await org.send("DELETE", "exports/spans");
  await org.run({ id: "c" });
  await org.advance(600);
  expect(receivedAt(url)).toHaveLength(before);
  expect(await rowsOf(org.id, "SELECT * FROM due WHERE kind = 'export'")).toEqual([]);
});

function aRun(id: string) {
  return {
    id,
    started_at: new Date().toISOString(),
    model: "m",
    usage: { input_tokens: 1, output_tokens: 1 },
    cost_usd: "0.1",
  };
}
