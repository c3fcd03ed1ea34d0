import { describe, expect, test } from "vitest";
import { buildOpenApi } from "../../src/contract/openapi.ts";
import { routeOf } from "../../src/contract/operation.ts";
import { OPERATIONS } from "../../src/operations.ts";
import { SAMPLE_BODIES } from "../support/sample-bodies.ts";
import { type Answer, call, newOrg, operatorKey } from "../support/worker.ts";

/** What a GET returns can be sent back by the PUT of the same resource, and changes nothing. */

const contracts = OPERATIONS.map(({ contract }) => contract);
const reads = contracts.filter(({ method }) => method === "GET").map(({ path }) => path);
const puts = contracts.filter(({ method }) => method === "PUT");
/** What these set is read from a list, or from nowhere. */
const READ_ELSEWHERE = [
  "PUT /v1/admin/plans/{plan}",
  "PUT /v1/admin/deprecations",
  "PUT /v1/admin/benchmarks/cohorts/{cohort_id}/members",
];
const sentBack = puts.filter(({ path }) => reads.includes(path)).map(routeOf);

const price = { input_usd_per_mtok: "1", output_usd_per_mtok: "2" };
const tiers = [{ above_input_tokens: 100, input_usd_per_mtok: "3" }];
const bucket = { kind: "bucket", prefix: "p" };

/** Each resource with as little as it needs, so that everything optional is read as null; and with more. */
const CONTENTS: Readonly<Record<string, readonly object[]>> = {
  "PUT /v1/admin/price-book": [
    { models: [{ model: "bare", ...price, tiers }] },
    { models: [{ model: "full", aliases: ["full-####"], source: "s", provider: "p", ...price }] },
  ],
  "PUT /v1/orgs/{id}/models/{model}": [{ ...price }, { ...price, provider: "p", tiers, regions: ["local"] }],
  "PUT /v1/orgs/{id}/chain-budget": [{ max_cost_usd: "1" }, { max_depth: 2 }, { max_tokens: 3 }],
  "PUT /v1/orgs/{id}/quota": [{}, { low_balance_usd: "1", alert_thresholds: ["0.5"] }],
  "PUT /v1/orgs/{id}/exports/{name}": [
    { format: "csv", every: "day", destination: bucket },
    { format: "focus", focus_version: "1.4", every: "day", destination: bucket },
    { destination: { kind: "otlp", endpoint: "https://otlp.example.com" } },
  ],
  "PUT /v1/orgs/{id}/fallbacks/{name}": [
    { match: { model: "m" }, then: [{ model: "n" }], on: ["limit"] },
    {
      match: { model: ["m", "o*"], tags: { t: "v" } },
      then: [{ model: "n", provider: "groq" }],
      on: [],
      budget_share: "0.9",
    },
  ],
  "PUT /v1/orgs/{id}/provider-keys/{provider}": [
    { secret: "sk-0123456789abcdef" },
    { secret: "sk-0123456789abcdef", base_url: "https://eu.api.openai.com", models: ["gpt-*"] },
  ],
  "PUT /v1/orgs/{id}/customers/{customer_id}": [
    { name: "n" },
    { revenue: { usd_per_month: "1" } },
    { name: "n", revenue: { markup: "0.25" } },
  ],
  "PUT /v1/orgs/{id}/digests/{name}": [
    { every: "week", at: "09:00" },
    { every: "month", at: "23:59", timezone: "Asia/Tokyo", to: [] },
  ],
  "PUT /v1/orgs/{id}/residency": [{ regions: null }, { regions: ["local"] }],
  "PUT /v1/admin/orgs/{org_id}/rate-limits": [
    { read_rpm: null, policies: [] },
    SAMPLE_BODIES["PUT /v1/admin/orgs/{org_id}/rate-limits"] ?? {},
  ],
};

/** Taken with the fields that only the service sets. */
const TAKEN_WHOLE: readonly string[] = ["PUT /v1/admin/price-book", "PUT /v1/orgs/{id}/models/{model}"];

/** What is stored and never returned is sent anew. */
const SECRETS: Readonly<Record<string, object>> = {
  "PUT /v1/orgs/{id}/sso": { client_secret: "s3cret-1234" },
  "PUT /v1/orgs/{id}/provider-keys/{provider}": { secret: "sk-0123456789abcdef" },
};

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

interface Described {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}
const document = buildOpenApi(contracts, "https://api.sluice.dev") as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** The schema and its alternatives, with references followed. */
function branchesOf(schema: Schema): Schema[] {
  const { $ref, anyOf = [], oneOf = [] } = schema;
  if ($ref !== undefined) return branchesOf(document.components.schemas[$ref.split("/").at(-1) ?? ""] ?? {});
  return [schema, ...[...anyOf, ...oneOf].flatMap(branchesOf)];
}

/** The value without what the service adds, such as ids and times of changes, which no caller sets. */
function settable(value: unknown, schema: Schema): unknown {
  const branches = branchesOf(schema);
  if (Array.isArray(value)) {
    const items = branches.find((branch) => branch.items !== undefined)?.items ?? {};
    return value.map((item) => settable(item, items));
  }
  const properties = Object.assign({}, ...branches.map((branch) => branch.properties)) as Record<
    string,
    Schema
  >;
  if (typeof value !== "object" || value === null || Object.keys(properties).length === 0) return value;
  const known = Object.entries(value).filter(([name]) => properties[name] !== undefined);
  return Object.fromEntries(known.map(([name, field]) => [name, settable(field, properties[name] ?? {})]));
}

function bodyOf(route: string, read: object): object {
  if (TAKEN_WHOLE.includes(route)) return read;
  const [, path = ""] = route.split(" ");
  const content = document.paths[path]?.["put"]?.requestBody?.content["application/json"];
  return { ...(settable(read, content?.schema ?? {}) as object), ...SECRETS[route] };
}

test("every PUT has a GET of the same path, or is known to have none", () => {
  expect([...sentBack, ...READ_ELSEWHERE].toSorted()).toEqual(puts.map(routeOf).toSorted());
  expect(sentBack.length).toBeGreaterThan(10);
});

test.each(sentBack)("%s takes what its GET returns, nulls included", async (route) => {
  const org = await newOrg();
  const [, template = ""] = route.split(" ");
  const path = template.replace(/\/orgs\/\{\w+\}/, `/orgs/${org.id}`).replace(/\{\w+\}/, "warehouse");
  const operated = route.includes("/admin/") || route.endsWith("/quota");
  const key = operated ? operatorKey() : org.ownerKey;
  const put = (body: object): Promise<Answer> => call("PUT", path, { key, body });
  for (const content of CONTENTS[route] ?? [SAMPLE_BODIES[route] ?? {}]) {
    const made = await put(content);
    expect([made.status, made.text]).toEqual([200, made.text]);
    const read = await call("GET", path, { key });
    const again = await put(bodyOf(route, read.body));
    expect([again.status, again.body?.error?.details]).toEqual([200, undefined]);
    const after = await call("GET", path, { key });
    expect(bodyOf(route, after.body)).toEqual(bodyOf(route, read.body));
  }
});

describe("a read-only field", () => {
  const fieldsOf = ({ status, body }: Answer) => [
    status,
    (body.error?.details.fields ?? []).map(({ field }: { field: string }) => field),
  ];

  test.each([
    ["model", "other"],
    ["source", "platform"],
    ["revision", 0],
    ["created_at", "2020-01-01T00:00:00.000Z"],
    ["updated_at", "2020-01-01T00:00:00.000Z"],
  ])("%s of a model is refused if it was changed", async (field, other) => {
    const org = await newOrg();
    const path = `/v1/orgs/${org.id}/models/m`;
    const put = (body: object) => call("PUT", path, { key: org.ownerKey, body });
    expect((await put(price)).status).toBe(200);
    const { body } = await call("GET", path, { key: org.ownerKey });
    expect(fieldsOf(await put({ ...body, [field]: other, input_usd_per_mtok: "9" }))).toEqual([422, [field]]);
    expect((await call("GET", path, { key: org.ownerKey })).body).toEqual(body);
    // Of a model that does not exist, only its name is known.
    const none = `/v1/orgs/${org.id}/models/none`;
    const first = await call("PUT", none, { key: org.ownerKey, body: { ...price, [field]: body[field] } });
    expect(fieldsOf(first)).toEqual([422, [field]]);
  });

  test("of a model may be written in another way, and its name is known before it has a price", async () => {
    const org = await newOrg();
    const path = `/v1/orgs/${org.id}/models/m`;
    const made = await call("PUT", path, { key: org.ownerKey, body: { ...price, model: "m" } });
    expect(made.status).toBe(200);
    const created_at = String(made.body.created_at).replace("Z", "+00:00");
    const again = await call("PUT", path, { key: org.ownerKey, body: { ...made.body, created_at } });
    expect([again.status, again.body]).toEqual([200, made.body]);
  });

  test.each([
    ["revision", -1],
    ["updated_at", null],
    ["updated_at", "2020-01-01T00:00:00.000Z"],
  ])("%s of the price book is refused if it was changed to %j", async (field, other) => {
    const key = operatorKey();
    const path = "/v1/admin/price-book";
    expect((await call("PUT", path, { key, body: { models: [{ model: "ro", ...price }] } })).status).toBe(
      200,
    );
    const { body } = await call("GET", path, { key });
    expect(fieldsOf(await call("PUT", path, { key, body: { ...body, models: [], [field]: other } }))).toEqual(
      [422, [field]],
    );
    expect((await call("GET", path, { key })).body).toEqual(body);
  });
});
