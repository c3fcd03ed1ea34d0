import { expect, test } from "vitest";
import { type OperationContract, routeOf } from "../../src/contract/operation.ts";
import { checkShape } from "../../src/edge/request/validate.ts";
import { OPERATIONS } from "../../src/operations.ts";
import { SAMPLE_BODIES } from "../support/sample-bodies.ts";

/** A caller hears of everything that is wrong with a body at once. */

type Body = Readonly<Record<string, unknown>>;

const contracts = OPERATIONS.map(({ contract }) => contract);
const withSample = contracts.filter(
  (op) => op.body !== undefined && SAMPLE_BODIES[routeOf(op)] !== undefined,
);

function shapeOf(route: string): NonNullable<OperationContract["body"]> {
  const body = contracts.find((op) => routeOf(op) === route)?.body;
  if (body === undefined) throw new Error(`${route} has no body`);
  return body;
}

function reported(route: string, body: Body): string[] {
  const checked = checkShape(shapeOf(route), body, "invalid_body");
  if (!("refused" in checked)) return [];
  return (checked.details as { fields: { field: string }[] }).fields.map(({ field }) => field).toSorted();
}

/** A value of a type that the field does not have. */
function wrong(value: unknown): unknown {
  return typeof value === "number" || typeof value === "boolean" ? "wrong" : 7.5;
}

function without(body: Body, field: string): Body {
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== field));
}

/** It says which other fields there are. */
const chooses = (field: string) => field === "kind";

test.each(withSample.map(routeOf))("%s: wrong and unknown fields are reported together", (route) => {
  const sample = SAMPLE_BODIES[route] as Body;
  const fields = Object.keys(sample).filter((field) => !chooses(field));
  const alone = fields.flatMap((field) => reported(route, { ...sample, [field]: wrong(sample[field]) }));
  const all = Object.fromEntries(fields.map((field) => [field, wrong(sample[field])]));
  const found = reported(route, { ...sample, ...all, unheard_of: 1 });
  const isOpen = contracts.find((op) => routeOf(op) === route)?.openBody === true;
  expect(found).toEqual(expect.arrayContaining([...new Set(alone), ...(isOpen ? [] : ["unheard_of"])]));
});

test.each(withSample.map(routeOf))("%s: missing fields are reported together", (route) => {
  const sample = SAMPLE_BODIES[route] as Body;
  const needed = Object.keys(sample).filter((field) => !chooses(field));
  const alone = needed.flatMap((field) => reported(route, without(sample, field)));
  const kept = Object.fromEntries(Object.entries(sample).filter(([field]) => chooses(field)));
  expect(reported(route, kept)).toEqual(expect.arrayContaining([...new Set(alone)]));
});

test("an empty budget is told all that it needs", () => {
  expect(reported("POST /v1/orgs/{id}/budgets", {})).toEqual(["limit_usd", "period", "scope_kind"]);
});

const BUDGETS = "POST /v1/orgs/{id}/budgets";
const KEYS = "POST /v1/orgs/{id}/keys";
const MODELS = "PUT /v1/orgs/{id}/models/{model}";
const RATES = "PUT /v1/admin/orgs/{org_id}/rate-limits";
const LEASES = "POST /v1/edge/leases";
const price = { input_usd_per_mtok: "1", output_usd_per_mtok: "1" };
const tier = (above: number) => ({ above_input_tokens: above });
const policy = { name: "p", match: {}, unit: "requests", limit: 1, window_seconds: 1, kind: "rate" };
const usage = { input_tokens: 1, output_tokens: 1 };
const line = `rsv_${"0".repeat(26)}${"1".repeat(26)}1`;
const refused = { at: 1, trace: "3f1c9a52-7c1d-4c3e-9f0a-6a1c2f0e9b11", limit: "l", nanos: null };
const sum = { hour: 1, count: 6_000_000, nanos: "1", code: "rate_limited", limit: "l" };
const report = { attempt: 1, touches: [], wants: [], watch: [] };
const calls = { number: 1, notes: [], more: [] };

/** A body that breaks a rule over several fields, the fields that are reported, and the fields that the rule reads. */
const RULES: readonly (readonly [string, Body, readonly string[], readonly string[]])[] = [
  [BUDGETS, { period: "day", limit_usd: "1" }, ["scope_kind"], ["scope_kind", "match"]],
  [
    BUDGETS,
    { scope_kind: "workflow", period: "day", limit_usd: "1" },
    ["scope_id"],
    ["scope_kind", "scope_id"],
  ],
  [
    BUDGETS,
    { scope_kind: "org", scope_id: "x", period: "day", limit_usd: "1" },
    ["scope_id"],
    ["scope_kind", "scope_id"],
  ],
  [
    BUDGETS,
    { scope_kind: "org", scope_id: "x", match: {}, period: "day", limit_usd: "1" },
    ["scope_id", "scope_kind"],
    ["scope_kind", "scope_id", "match"],
  ],
  [
    BUDGETS,
    { scope_kind: "org", group_by: ["model"], period: "day", limit_usd: "1" },
    ["group_by"],
    ["group_by", "match"],
  ],
  [BUDGETS, { scope_kind: "org", period: "day" }, ["limit_usd"], ["limit_usd", "limit"]],
  [
    BUDGETS,
    { scope_kind: "org", period: "day", limit: "1", limit_usd: "1" },
    ["limit_usd"],
    ["limit_usd", "limit"],
  ],
  [
    BUDGETS,
    { scope_kind: "org", period: "day", limit: "1.5", unit: "runs" },
    ["limit"],
    ["limit_usd", "limit", "unit"],
  ],
  [
    BUDGETS,
    { scope_kind: "org", period: "day", limit_usd: "1", anchor_day: 3 },
    ["anchor_day"],
    ["anchor_day", "period"],
  ],
  [
    BUDGETS,
    { scope_kind: "org", period: "day", limit_usd: "1", timezone: "Mars/One" },
    ["timezone"],
    ["timezone"],
  ],
  ["PATCH /v1/orgs/{id}/budgets/{budget_id}", { timezone: "Mars/One" }, ["timezone"], ["timezone"]],
  [
    "POST /v1/orgs/{id}/credit-packs",
    {
      customer_id: "c",
      amount_usd: "1",
      effective_at: "2030-01-02T00:00:00Z",
      expires_at: "2030-01-01T00:00:00Z",
    },
    ["expires_at"],
    ["effective_at", "expires_at"],
  ],
  ["PUT /v1/orgs/{id}/chain-budget", {}, ["body"], ["max_cost_usd", "max_depth", "max_tokens"]],
  [
    "PUT /v1/orgs/{id}/exports/{name}",
    { format: "csv", focus_version: "1.2", every: "day", destination: { kind: "bucket" } },
    ["focus_version"],
    ["format", "focus_version"],
  ],
  [MODELS, { ...price, tiers: [tier(2), tier(1)] }, ["tiers[1].above_input_tokens"], ["tiers"]],
  [
    MODELS,
    { ...price, tiers: [tier(2), { ...tier(1), input_usd_per_mtok: 1 }] },
    ["tiers[1].above_input_tokens", "tiers[1].input_usd_per_mtok"],
    ["tiers"],
  ],
  [
    "PUT /v1/admin/price-book",
    {
      models: [
        { model: "a", ...price },
        { model: "a", ...price, tiers: 1 },
      ],
    },
    ["models[1].model", "models[1].tiers"],
    ["models"],
  ],
  [
    RATES,
    { read_rpm: 1, policies: [policy, { ...policy, limit: -1 }] },
    ["policies[1].limit", "policies[1].name"],
    ["policies"],
  ],
  [
    RATES,
    { read_rpm: 1, policies: [{ ...policy, limit: -1, match: { key_id: " ", model: ["*", "m"] } }] },
    ["policies[0].limit", "policies[0].match.key_id", "policies[0].match.model"],
    ["policies"],
  ],
  ["POST /v1/orgs/{id}/explain", { trace_id: "t", run_id: "r" }, ["run_id"], ["trace_id", "run_id"]],
  [
    "POST /v1/runs",
    {
      started_at: "2026-11-15T02:00:00Z",
      ended_at: "2026-11-15T01:00:00Z",
      model: "m",
      usage: { ...usage, cache_read_tokens: 2, reasoning_tokens: 2 },
    },
    ["ended_at", "usage.cache_read_tokens", "usage.reasoning_tokens"],
    ["started_at", "ended_at", "usage", "input"],
  ],
  [
    "POST /v1/runs/bulk",
    { runs: [{ model: "", started_at: "x", usage: { ...usage, cache_read_tokens: 2 } }] },
    ["runs[0].model", "runs[0].started_at", "runs[0].usage.cache_read_tokens"],
    ["runs"],
  ],
  [
    "PUT /v1/orgs/{id}/content-safety",
    {
      detectors: [
        { id: "d", kind: "pattern", pattern: "(", action: "block" },
        { id: "", kind: "builtin" },
      ],
    },
    ["detectors[0].pattern", "detectors[1].action", "detectors[1].id"],
    ["detectors"],
  ],
  [
    LEASES,
    {
      version: 1,
      holder: "gate-of-a-sample",
      report: {
        ...report,
        batches: [
          {
            number: 1,
            holds: [
              { touch: 0, lines: Array(6000).fill(line) },
              { touch: 0, lines: [line] },
            ],
          },
        ],
      },
    },
    ["report.batches"],
    ["report"],
  ],
  [
    LEASES,
    {
      version: 1,
      holder: "gate-of-a-sample",
      report: { ...report, batches: [], refusals: { ...calls, more: [sum, { ...sum, nanos: "x" }] } },
    },
    ["report.refusals.more", "report.refusals.more[1].nanos"],
    ["report"],
  ],
  [
    LEASES,
    {
      version: 1,
      holder: "gate-of-a-sample",
      report: {
        ...report,
        batches: [],
        refusals: { ...calls, notes: [{ ...refused, at: -1, code: "rate_limited", details: {} }] },
      },
    },
    ["report.refusals.notes[0].at", "report.refusals.notes[0].details"],
    ["report"],
  ],
];

test.each(RULES)("%s with %o: %o, whatever else is wrong", (route, body, fields, read) => {
  expect(reported(route, body)).toEqual(fields);
  const expected = (others: readonly string[]) => expect.arrayContaining([...fields, ...others]);
  expect(reported(route, { ...body, unheard_of: 1 })).toEqual(expected(["unheard_of"]));
  const known: Body = { ...SAMPLE_BODIES[route], ...body };
  for (const other of Object.keys(known).filter((field) => !read.includes(field))) {
    const found = reported(route, { ...body, [other]: wrong(known[other]) });
    expect(found).toEqual(expected([]));
    expect(found.some((field) => field.startsWith(other))).toBe(true);
  }
});

/** These are checked by the operation itself. Where the body is refused before, they are reported with the rest. */
test.each([
  [KEYS, { role: "viewer", scopes: ["keys:write", "runs:read"] }, ["name", "scopes[0]"]],
  [
    KEYS,
    { name: "n", role: 1, not_before: "2030-01-01T00:00:00Z", expires_at: "2029-01-01T00:00:00Z" },
    ["expires_at", "role"],
  ],
  ["POST /v1/edge/decision", { hold_seconds: 1, estimate: {} }, ["estimate.cost_usd", "hold_seconds"]],
  ["POST /v1/edge/decision", { hold_seconds: 1, estimate: { input_tokens: 1 } }, ["hold_seconds", "model"]],
])("%s with %o: %o", (route, body, fields) => {
  expect(reported(route, body)).toEqual(fields);
});

test("what the operation itself checks does not refuse a body before it", () => {
  expect(reported(KEYS, { name: "n", role: "viewer", scopes: ["keys:write"] })).toEqual([]);
  expect(reported("POST /v1/edge/decision", { estimate: {} })).toEqual([]);
});
