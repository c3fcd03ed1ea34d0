import * as conventions from "@opentelemetry/semantic-conventions/incubating";
import { describe, expect, test } from "vitest";
import { SpanBatch } from "../../../src/domain/telemetry/batch.ts";
import { refusalSpan } from "../../../src/domain/telemetry/refusal-span.ts";
import { runSpan, type SpannedRun } from "../../../src/domain/telemetry/run-span.ts";
import type { Span } from "../../../src/domain/telemetry/span.ts";
import { readTraceParent } from "../../../src/domain/text/traceparent.ts";
import { alike, asSdkWrites, spansIn } from "../../support/otlp.ts";

const ORG = "org_1";
const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = readTraceParent(`00-${TRACE}-b7ad6b7169203331-00`);

const RUN: SpannedRun = {
  id: "r1",
  started_at: "2026-11-18T01:00:00.123Z",
  ended_at: "2026-11-18T01:00:02.000Z",
  model: "gpt-4o-mini",
  action: "summarize",
  workflow_id: null,
  deployment_id: null,
  department_id: null,
  customer_id: "acme",
  user_id: null,
  provider: "azure",
  key_id: "key_1",
  tags: { team: "a b" },
  chain: null,
  usage: {
    input_tokens: 10,
    output_tokens: 5,
    cache_read_tokens: 4,
    reasoning_tokens: 2,
    units: { search: 1 },
  },
  variant: null,
  cost_usd: "5.00",
  cost_source: "price_book",
  price_revision: 1,
  adjusted_usd: "0.00",
  net_cost_usd: "5.00",
  reservation_id: null,
  incurred: false,
  approval_id: null,
  outcome: "completed",
  estimated: false,
  requested_model: "gpt-4o",
  fallback: "cheap",
  recorded_at: "2026-11-18T01:00:03.000Z",
  charged_at: "2026-11-18T01:00:03.000Z",
  charges: [
    { kind: "budget", id: "bud_1", amount_usd: "5.00", over_usd: "1.00" },
    { kind: "spend_cap", id: "spend_cap", amount_usd: "5.00" },
  ],
  uncovered_usd: null,
  shadow: [],
};

const REFUSAL = {
  id: "ref_1",
  at: Date.parse("2026-11-18T01:00:00Z"),
  trace: "6b8f2f0e-1c5d-4d7a-9d53-0d2c8a3f1b10",
  decided: "edge",
  operation: "POST /v1/edge/decision",
  status: 402,
  code: "budget_exceeded",
  details: "{}",
  limit: "bud_1",
  keyId: "key_1",
  model: "gpt-4o",
  customerId: "acme",
  workflowId: null,
  departmentId: null,
  deploymentId: null,
  userId: null,
  nanos: "1500000000",
} as const;

const bodyOf = (...spans: readonly Span[]) => {
  const batch = new SpanBatch(ORG);
  for (const span of spans) expect(batch.add(span)).toBe(true);
  return batch.body();
};
const received = (span: Span) => {
  const [one] = spansIn(bodyOf(span));
  if (one === undefined) throw new Error("no span");
  return one;
};

describe("a run is a span", () => {
  test("with the names of the conventions, and ours under sluice", () => {
    const span = received(runSpan(ORG, RUN, null));
    expect(span.name).toBe("chat gpt-4o");
    expect(span.attributes).toEqual({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "azure.ai.openai",
      "gen_ai.system": "azure.ai.openai",
      "gen_ai.request.model": "gpt-4o",
      "gen_ai.response.model": "gpt-4o-mini",
      "gen_ai.usage.input_tokens": 10,
      "gen_ai.usage.output_tokens": 5,
      "gen_ai.usage.cache_read.input_tokens": 4,
      "gen_ai.usage.reasoning.output_tokens": 2,
      "sluice.run_id": "r1",
      "sluice.cost_usd": 5,
      "sluice.cost_source": "price_book",
      "sluice.outcome": "completed",
      "sluice.limits": ["bud_1", "spend_cap"],
      "sluice.limits_exceeded": ["bud_1"],
      "sluice.key_id": "key_1",
      "sluice.customer_id": "acme",
      "sluice.action": "summarize",
      "sluice.fallback": "cheap",
      "sluice.usage.cache_read_tokens": 4,
      "sluice.usage.reasoning_tokens": 2,
      "sluice.usage.units.search": 1,
      "sluice.tags.team": "a b",
    });
    expect(span.resource).toEqual({ "service.name": "sluice", "sluice.org_id": ORG });
    expect([span.startTimeUnixNano, span.endTimeUnixNano]).toEqual([
      "1794963600123000000",
      "1794963602000000000",
    ]);
    expect(span.status).toEqual({ code: 0 });
    const known = new Set<unknown>(Object.values(conventions));
    const others = Object.keys(span.attributes).filter((name) => !name.startsWith("sluice."));
    expect(others.filter((name) => !known.has(name))).toEqual([]);
    expect(known.has(span.attributes["gen_ai.provider.name"])).toBe(true);
  });

  test("a failed one is an error", () => {
    const span = received(runSpan(ORG, { ...RUN, outcome: "failed", ended_at: null }, null));
    expect(span.status).toEqual({ code: 2, message: "failed" });
    expect(span.attributes["error.type"]).toBe("failed");
    expect(span.endTimeUnixNano).toBe(span.startTimeUnixNano);
  });

  test("below the caller's span, in the caller's trace", () => {
    const span = received(runSpan(ORG, RUN, PARENT));
    expect([span.traceId, span.parentSpanId]).toEqual([TRACE, "b7ad6b7169203331"]);
    expect(span.flags).toBe(0x300);
  });

  test("runs of a chain are one trace, each below its parent", () => {
    const chain = { chain_id: "c", parent_run_id: null, depth: 1 };
    const first = received(runSpan(ORG, { ...RUN, chain }, null));
    const below = { ...chain, parent_run_id: "r1", depth: 2 };
    const second = received(runSpan(ORG, { ...RUN, id: "r2", chain: below }, null));
    expect(second.traceId).toBe(first.traceId);
    expect(first.parentSpanId).toBeUndefined();
    expect(second.parentSpanId).toBe(first.spanId);
  });

  test("has the same ids each time, and others in another org", () => {
    const [once, again] = [runSpan(ORG, RUN, null), runSpan(ORG, RUN, null)];
    expect([again.traceId, again.spanId]).toEqual([once.traceId, once.spanId]);
    expect(runSpan("org_2", RUN, null).spanId).not.toBe(once.spanId);
    expect(runSpan("org_2", RUN, null).traceId).not.toBe(once.traceId);
    expect(runSpan(ORG, RUN, PARENT).spanId).toBe(once.spanId);
    expect(once.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(once.spanId).toMatch(/^[0-9a-f]{16}$/);
  });

  test.each([
    ["embeddings", { action: null, model: "text-embedding-3-small" }],
    ["text_completion", { action: "text_completion" }],
    ["chat", { action: "rm -rf" }],
  ])("its operation is %s", (operation, more) => {
    expect(received(runSpan(ORG, { ...RUN, ...more }, null)).attributes["gen_ai.operation.name"]).toBe(
      operation,
    );
  });

  test("half of a character does not make the request unreadable", () => {
    const body = bodyOf(runSpan(ORG, { ...RUN, model: "m\ud800", tags: { t: "\udc00" } }, null));
    expect(body).not.toMatch(/\\ud[89a-f]/i);
  });
});

describe("a refusal is a span", () => {
  test("that is an error without length, with the limit that refused", () => {
    const span = received(refusalSpan(ORG, REFUSAL, null));
    expect(span).toMatchObject({
      name: "chat gpt-4o",
      traceId: "6b8f2f0e1c5d4d7a9d530d2c8a3f1b10",
      status: { code: 2, message: "budget_exceeded" },
    });
    expect(span.attributes).toMatchObject({
      "error.type": "budget_exceeded",
      "sluice.limit": "bud_1",
      "sluice.customer_id": "acme",
      "sluice.amount_usd": 1.5,
      "sluice.refusal_id": "ref_1",
      "sluice.trace_id": REFUSAL.trace,
    });
    expect(received(refusalSpan(ORG, REFUSAL, PARENT)).parentSpanId).toBe("b7ad6b7169203331");
    expect(received(refusalSpan(ORG, { ...REFUSAL, trace: "x", model: null }, null)).traceId).toMatch(
      /^[0-9a-f]{32}$/,
    );
  });
});

test("what is sent is what OpenTelemetry's own code would write", () => {
  const body = bodyOf(
    runSpan(ORG, RUN, PARENT),
    runSpan(ORG, { ...RUN, id: "r2", outcome: "failed", cost_usd: "0.123456789" }, null),
    refusalSpan(ORG, REFUSAL, null),
  );
  expect(alike(JSON.parse(body))).toEqual(asSdkWrites(body));
});

describe("a request is bounded", () => {
  const span = (id: string, model = "m") => runSpan(ORG, { ...RUN, id, model }, null);

  test("in spans", () => {
    const batch = new SpanBatch(ORG, 2);
    expect(["a", "b", "c"].map((id) => batch.add(span(id)))).toEqual([true, true, false]);
    expect(spansIn(batch.body())).toHaveLength(2);
    const whole = new SpanBatch(ORG, 1_000_000);
    let count = 0;
    while (whole.add(span(String(count)))) count += 1;
    expect([count, whole.count]).toEqual([500, 500]);
  });

  test("in length, but for one span by itself", () => {
    const batch = new SpanBatch(ORG);
    expect(batch.add(span("a", "x".repeat(1_200_000)))).toBe(true);
    expect(batch.add(span("b"))).toBe(false);
    const many = new SpanBatch(ORG);
    let count = 0;
    while (many.add(span(String(count), "x".repeat(20_000)))) count += 1;
    expect(count).toBeLessThan(53);
    expect(many.body().length).toBeLessThan(1_100_000);
  });
});
