import { beforeAll, describe, expect, test } from "vitest";
import { OPERATIONS } from "../../src/operations.ts";
import { routeOf } from "../../src/contract/operation.ts";
import { newSpender, type Spender } from "../support/ledger.ts";
import { type Answer, call, operatorKey } from "../support/worker.ts";

/** Every write to one resource, with its body. `none` is an id that does not exist. */
const MISSING: Readonly<Record<string, object | null>> = {
  "PATCH /v1/orgs/{id}/budgets/{budget_id}": { limit_usd: "1" },
  "DELETE /v1/orgs/{id}/budgets/{budget_id}": null,
  "PUT /v1/orgs/{id}/exports/{name}": {
    format: "ndjson",
    every: "day",
    destination: { kind: "bucket", prefix: "p" },
  },
  "DELETE /v1/orgs/{id}/exports/{name}": null,
  "PUT /v1/orgs/{id}/fallbacks/{name}": { match: { model: "m" }, then: [{ model: "n" }], on: ["limit"] },
  "DELETE /v1/orgs/{id}/fallbacks/{name}": null,
  "PUT /v1/orgs/{id}/digests/{name}": { every: "day", at: "09:00" },
  "DELETE /v1/orgs/{id}/digests/{name}": null,
  "PUT /v1/orgs/{id}/provider-keys/{provider}": { secret: "sk-0123456789abcdef" },
  "DELETE /v1/orgs/{id}/provider-keys/{provider}": null,
  "PUT /v1/orgs/{id}/customers/{customer_id}": { name: "n" },
  "PUT /v1/orgs/{id}/spend-cap": { cap_usd: "1" },
  "DELETE /v1/orgs/{id}/spend-cap": null,
  "PATCH /v1/orgs/{id}/customer-limits/{limit_id}": { limit_usd: "1" },
  "DELETE /v1/orgs/{id}/customer-limits/{limit_id}": null,
  "PUT /v1/orgs/{id}/chain-budget": { max_depth: 1 },
  "DELETE /v1/orgs/{id}/chain-budget": null,
  "PUT /v1/orgs/{id}/models/{model}": { input_usd_per_mtok: "1", output_usd_per_mtok: "1" },
  "DELETE /v1/orgs/{id}/models/{model}": null,
  "PATCH /v1/orgs/{id}/policy-rules/{rule_id}": { priority: 1 },
  "DELETE /v1/orgs/{id}/policy-rules/{rule_id}": null,
  "PATCH /v1/orgs/{id}/webhooks/{sub_id}": { description: "x" },
  "DELETE /v1/orgs/{id}/webhooks/{sub_id}": null,
  "DELETE /v1/orgs/{id}/keys/{key_id}": null,
  "PUT /v1/orgs/{id}/routing-policy": {
    candidates: ["acme/m1"],
    eval_gate: { suite: "s", min_score: 0.5, min_samples: 1, max_age_days: 1 },
    prefer: "cheapest",
  },
  "PUT /v1/orgs/{id}/sso": {
    kind: "oidc",
    issuer: "https://idp.example.test",
    client_id: "c",
    client_secret: "a secret",
  },
  "PUT /v1/orgs/{id}/quota": {},
  "DELETE /v1/orgs/{id}/quota": null,
  "DELETE /v1/orgs/{id}/budgets/{budget_id}/increases/{increase_id}": null,
  "DELETE /v1/orgs/{id}/support-grants/{grant_id}": null,
  "DELETE /v1/orgs/{id}/sessions/{session_id}": null,
  "DELETE /v1/edge/decision/{reservation_id}": null,
  "PUT /v1/admin/plans/{plan}": { runs_limit: 1, tokens_limit: 1, overage_policy: "allow" },
  "PUT /v1/admin/benchmarks/cohorts/{cohort_id}/members": { org_ids: [] },
};

/** Resources that every org has. */
const ALWAYS_THERE = [
  "PATCH /v1/orgs/{id}",
  "PATCH /v1/admin/orgs/{org_id}",
  "PUT /v1/admin/orgs/{org_id}/rate-limits",
  "PUT /v1/orgs/{id}/residency",
  "PUT /v1/orgs/{id}/retention-policy",
  "PUT /v1/orgs/{id}/unusual-spend",
  "PUT /v1/orgs/{id}/content-safety",
  "PUT /v1/orgs/{id}/benchmark-profile",
  "PUT /v1/admin/price-book",
];
/** Adds to a list, or ends an entry of one that never changes, so there is no version to match. */
const NO_RESOURCE = ["DELETE /v1/admin/orgs/{org_id}/move", "PUT /v1/admin/deprecations"];

const contracts = OPERATIONS.map(({ contract }) => contract);

test("every write to a resource is in one of the lists", () => {
  const writes = contracts.filter(({ method }) => ["PUT", "PATCH", "DELETE"].includes(method)).map(routeOf);
  const listed = [...Object.keys(MISSING), ...ALWAYS_THERE, ...NO_RESOURCE];
  expect(writes.toSorted()).toEqual(listed.toSorted());
});

describe("If-Match on a resource that does not exist", () => {
  let org: Spender;
  beforeAll(async () => {
    org = await newSpender();
  });

  function send(route: string, header: string): Promise<Answer> {
    const [method = "", template = ""] = route.split(" ");
    const path = template.replace("/orgs/{id}", `/orgs/${org.id}`).replaceAll(/\{\w+\}/g, "absent");
    const role = contracts.find((op) => routeOf(op) === route)?.role;
    const body = MISSING[route] ?? undefined;
    const key = role === "operator" ? operatorKey() : org.key;
    return call(method, path, { key, headers: { "if-match": header }, ...(body && { body }) });
  }

  test.each(Object.keys(MISSING))("%s: a conflict, and nothing is created", async (route) => {
    for (const header of ["*", '"AAAAAAAAAAAAAAAAAAAAAA"']) {
      const refused = await send(route, header);
      expect([refused.status, refused.body?.error?.code]).toEqual([409, "conflict"]);
      expect(refused.body.error.details).toEqual({});
    }
  });

  test.each(Object.keys(MISSING))("%s: an empty header is malformed", async (route) => {
    const refused = await send(route, "");
    expect([refused.status, refused.body.error.details.fields[0].field]).toEqual([422, "if-match"]);
  });
});

/** Resources with counters: the path of each, and a write that leaves it unchanged. */
async function limits(org: Spender): Promise<{ path: string; made: Answer; again: () => Promise<Answer> }[]> {
  const create = async (path: string, body: object, change: object | null) => {
    const made = await org.send("POST", path, body);
    const own = `${path}/${made.body.id}`;
    return {
      path: own,
      made,
      again: () => (change === null ? org.send("GET", own) : org.send("PATCH", own, change)),
    };
  };
  const scope = { scope_kind: "org", limit_usd: "1", period: "month", mode: "shadow" };
  const cap = () => org.send("PUT", "spend-cap", { cap_usd: "50" });
  const quota = () => org.operate("PUT", `/v1/orgs/{org}/quota`, { low_balance_usd: "5" });
  return [
    await create("budgets", scope, { limit_usd: "1" }),
    await create("customer-limits", { customer_id: "c1", limit_usd: "9", period: "day" }, { limit_usd: "9" }),
    await create("customer-limits", { customer_id: "*", limit_usd: "9", period: "day" }, { limit_usd: "9" }),
    await create("credit-packs", { customer_id: "c1", amount_usd: "2" }, null),
    { path: "spend-cap", made: await cap(), again: cap },
    { path: "quota", made: await quota(), again: quota },
    { path: "plan", made: await org.send("GET", "plan"), again: () => org.send("GET", "plan") },
  ];
}

test("an ETag covers the configuration: spending, reserving and refusing do not change it", async () => {
  const org = await newSpender();
  const all = await limits(org);
  await org.operate("POST", "/v1/orgs/{org}/quota/top-ups", { amount_usd: "100" });
  const tags = async () =>
    Promise.all(all.map(async ({ path }) => (await org.send("GET", path)).headers.get("etag")));
  const before = await tags();
  expect(all.map(({ made }) => made.headers.get("etag"))).toEqual(before);
  for (const tag of before) expect(tag).toMatch(/^"[\w-]{22}"$/);
  expect((await org.run({ customer_id: "c1", cost_usd: "2" })).status).toBe(201);
  expect((await org.decide("3", { customer_id: "c2" })).status).toBe(200);
  expect((await org.run({ cost_usd: "200", incurred: true })).status).toBe(201);
  expect((await org.run({ customer_id: "c1", cost_usd: "9" })).status).toBe(402);
  expect((await org.send("GET", all[0]?.path ?? "")).body).toMatchObject({ status: "exhausted" });
  expect((await org.operate("GET", "/v1/orgs/{org}/quota")).body.overdrawn_usd).not.toBe("0.00");
  expect(await tags()).toEqual(before);
  expect(await Promise.all(all.map(async ({ again }) => (await again()).headers.get("etag")))).toEqual(
    before,
  );
});

test("a change with the ETag of a busy budget succeeds, and the changed budget has a new ETag", async () => {
  const org = await newSpender();
  const made = await org.send("POST", "budgets", {
    scope_kind: "org",
    limit_usd: "1",
    period: "month",
    mode: "enforce",
  });
  const tag = made.headers.get("etag") ?? "";
  await org.run({ cost_usd: "1" });
  const change = (limit_usd: string) =>
    call("PATCH", `/v1/orgs/${org.id}/budgets/${made.body.id}`, {
      key: org.key,
      body: { limit_usd },
      headers: { "if-match": tag },
    });
  const changed = await change("2");
  expect(changed.status).toBe(200);
  expect(changed.headers.get("etag")).not.toBe(tag);
  expect((await change("3")).status).toBe(409);
});

test("a state that was set is part of the ETag", async () => {
  const org = await newSpender();
  const pack = await org.send("POST", "credit-packs", { customer_id: "c", amount_usd: "1" });
  const voided = await org.send("POST", `credit-packs/${pack.body.id}/void`);
  expect(voided.headers.get("etag")).not.toBe(pack.headers.get("etag"));
  const own = `/v1/admin/orgs/${org.id}`;
  const active = (await org.operate("GET", own)).headers.get("etag");
  const suspended = await org.operate("POST", `${own}/suspend`);
  expect(suspended.headers.get("etag")).not.toBe(active);
});

test("a secret that is returned once is not part of the ETag, so the ETag of that response is valid", async () => {
  const org = await newSpender();
  const key = await org.send("POST", "keys", { name: "k", role: "viewer" });
  const read = await org.send("GET", `keys/${key.body.id}`);
  expect(read.headers.get("etag")).toBe(key.headers.get("etag"));
  const hook = await org.send("POST", "webhooks", { url: "http://127.0.0.1:9/x", events: ["run.*"] });
  const found = await org.send("GET", `webhooks/${hook.body.id}`);
  expect(found.headers.get("etag")).toBe(hook.headers.get("etag"));
  const signing = `webhooks/${hook.body.id}/signing`;
  const rotated = await org.send("POST", `${signing}/rotate`, {});
  expect((await org.send("GET", signing)).headers.get("etag")).toBe(rotated.headers.get("etag"));
});

test("a plan is changed only with its current ETag", async () => {
  const path = "/v1/admin/plans/guarded";
  const put = (runs_limit: number, tag?: string) =>
    call("PUT", path, {
      key: operatorKey(),
      body: { runs_limit, tokens_limit: null, overage_policy: "allow" },
      ...(tag === undefined ? {} : { headers: { "if-match": tag } }),
    });
  const made = await put(1);
  const tag = made.headers.get("etag") ?? "";
  expect((await put(2, tag)).status).toBe(200);
  expect((await put(3, tag)).status).toBe(409);
  expect((await put(4, "*")).status).toBe(200);
});

test.for([["''"], ["' '"]] as const)(
  "an empty If-Match is refused before anything changes: %s",
  async ([quoted]) => {
    const org = await newSpender();
    await org.send("PUT", "spend-cap", { cap_usd: "5" });
    const path = `/v1/orgs/${org.id}/spend-cap`;
    const headers = { "if-match": quoted.slice(1, -1) };
    for (const [method, body] of [
      ["PUT", { cap_usd: "6" }],
      ["DELETE", undefined],
    ] as const) {
      const answer = await call(method, path, {
        key: org.key,
        headers,
        ...(body === undefined ? {} : { body }),
      });
      expect([answer.status, answer.body.error.details.fields]).toEqual([
        422,
        [{ field: "if-match", code: "empty", message: expect.stringContaining("omit the header") }],
      ]);
    }
    expect((await org.send("GET", "spend-cap")).body.cap_usd).toBe("5.00");
  },
);
