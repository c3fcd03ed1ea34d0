import { expect, test } from "vitest";
import { timesAsLong } from "../support/fastest.ts";
import { newSpender, type Spender } from "../support/ledger.ts";
import { call } from "../support/worker.ts";

/** A cursor works only for the list that returned it. */

async function withBudgets(): Promise<Spender> {
  const org = await newSpender();
  for (const path of ["budgets", "budgets", "budgets", "customer-limits", "customer-limits"]) {
    const scope = path === "budgets" ? { scope_kind: "org" } : { customer_id: crypto.randomUUID() };
    const made = await org.send("POST", path, { ...scope, limit_usd: "1", period: "day" });
    expect(made.status).toBe(201);
  }
  return org;
}

const cursorOf = async (org: Spender, path: string): Promise<string> =>
  (await org.send("GET", path)).body.next_cursor;

test("a cursor continues its own list with any limit and any spelling of the query", async () => {
  const org = await withBudgets();
  const cursor = await cursorOf(org, "budgets?limit=1&scope_kind=org");
  const rest = await org.send("GET", `budgets?cursor=${cursor}&scope_kind=org&limit=200&sort=-created_at`);
  expect([rest.status, rest.body.data.length, rest.body.next_cursor]).toEqual([200, 2, null]);
});

test.each([
  [
    "webhooks",
    "url",
    (i: number) => ({ url: `https://example.com/${i}${"a".repeat(2_000)}`, events: ["run.recorded"] }),
  ],
  ["keys", "name", (i: number) => ({ name: `${i}${"\u0001".repeat(199)}`, role: "viewer" })],
])("the longest cursors of %s by %s are accepted", async (path, sort, body) => {
  const org = await newSpender();
  for (const i of [1, 2, 3]) expect((await org.send("POST", path, body(i))).status).toBe(201);
  const first = await org.send("GET", `${path}?sort=${sort}&limit=1`);
  const rest = await org.send("GET", `${path}?sort=${sort}&cursor=${first.body.next_cursor}`);
  expect(rest.status).toBe(200);
  expect(rest.body.data.length).toBeGreaterThanOrEqual(2);
});

test("a cursor of another list, org or filter is refused", async () => {
  const [org, other] = await Promise.all([withBudgets(), withBudgets()]);
  const plain = await cursorOf(org, "budgets?limit=1");
  const filtered = await cursorOf(org, "budgets?limit=1&scope_kind=org");
  const refused = [
    await org.send("GET", `customer-limits?cursor=${plain}`),
    await org.send("GET", `budgets?scope_kind=org&cursor=${plain}`),
    await org.send("GET", `budgets?cursor=${filtered}`),
    await org.send("GET", `budgets?scope_kind=workflow&cursor=${filtered}`),
    await other.send("GET", `budgets?cursor=${plain}`),
  ];
  for (const { status, body } of refused) {
    expect(status).toBe(422);
    expect(body.error.details.fields).toMatchObject([{ field: "cursor", code: "invalid_value" }]);
  }
});

test("a cursor of runs, whose path names no org, works only in its org", async () => {
  const [org, other] = await Promise.all([newSpender(), newSpender()]);
  const run = {
    started_at: new Date().toISOString(),
    model: "m",
    cost_usd: "0",
    usage: { input_tokens: 1, output_tokens: 1 },
  };
  await call("POST", "/v1/runs/bulk", { key: org.key, body: { runs: [run, run] } });
  const page = await call("GET", "/v1/runs?limit=1", { key: org.key });
  const path = `/v1/runs?cursor=${page.body.next_cursor}`;
  expect((await call("GET", path, { key: org.key })).body.data).toHaveLength(1);
  expect((await call("GET", path, { key: other.key })).status).toBe(422);
});

test("a cursor from before cursors had a scope still works", async () => {
  const org = await withBudgets();
  const [sort, value, id] = JSON.parse(atob(await cursorOf(org, "budgets?limit=1"))) as unknown[];
  const old = btoa(JSON.stringify([sort, value, id])).replace(/=+$/, "");
  const { status, body } = await org.send("GET", `budgets?cursor=${old}`);
  expect([status, body.data.length]).toEqual([200, 2]);
});

test("a batch in which every run is invalid names the field of each", async () => {
  const org = await newSpender();
  const run = {
    started_at: new Date().toISOString(),
    model: "no-price",
    usage: { input_tokens: 1, output_tokens: 1 },
  };
  const { status, body } = await call("POST", "/v1/runs/bulk", {
    key: org.key,
    body: { runs: [run, run] },
  });
  expect(status).toBe(422);
  const fields = body.error.details.fields.map(({ field }: { field: string }) => field);
  expect(new Set(fields.map((field: string) => field.replace(/\..*/, "")))).toEqual(
    new Set(["runs[0]", "runs[1]"]),
  );
  expect(fields).toHaveLength(2);
});

test.each([
  ["sso", {}, "kind", "required"],
  ["sso", { kind: 7 }, "kind", "invalid_type"],
  ["sso", { kind: "ldap" }, "kind", "invalid_value"],
  ["content-safety", { detectors: [{ id: "d", action: "block" }] }, "detectors[0].kind", "required"],
])("PUT %s %j: %s is %s", async (path, sent, field, code) => {
  const org = await newSpender();
  const { status, body } = await org.send("PUT", path, sent);
  expect(status).toBe(422);
  expect(body.error.details.fields).toContainEqual(expect.objectContaining({ field, code }));
});

test("a query is parsed in linear time, and every invalid parameter is named", async () => {
  const org = await newSpender();
  const read = (names: number) => call("GET", `/v1/runs?${"a&".repeat(names)}`, { key: org.key });
  const parts = async () => {
    for (let part = 0; part < 20; part += 1) await read(3000);
  };
  expect(await timesAsLong(() => read(60_000), parts, 4)).toBeLessThan(4);
  const long = await read(60_000);
  expect(long.body.error.details.fields).toMatchObject([{ field: "a", code: "unknown_parameter" }]);
  const odd = await call("GET", "/v1/runs?__proto__=a&constructor=b", { key: org.key });
  const fields = odd.body.error.details.fields.map(({ field }: { field: string }) => field);
  expect(fields).toEqual(["__proto__", "constructor"]);
});
