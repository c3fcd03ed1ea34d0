import { runInDurableObject } from "cloudflare:test";
import { beforeAll, expect, test } from "vitest";
import { MOST_NAMES } from "../../src/org/runs/range-sums.ts";
import { evict } from "../support/evict.ts";
import { call, env, newOrg, operatorKey, type TestOrg } from "../support/worker.ts";

/** Who spends most, from daily sums, beside an earlier period. */

const DAY_MS = 86_400_000;
const date = (daysAgo: number) => new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);

let org: TestOrg;

beforeAll(async () => {
  org = await newOrg();
  const runs = Array.from({ length: 240 }, (_, index) => ({
    started_at: `${date(index % 12)}T00:00:00Z`,
    model: `acme/m${index % 3}`,
    ...(index % 5 === 0 ? {} : { customer_id: `customer-${index % 7}` }),
    usage: { input_tokens: 10 + index, output_tokens: 3 },
    cost_usd: `${index % 4}.${String(index * 7919)
      .padStart(9, "0")
      .slice(-9)}`,
    incurred: true,
  }));
  const sent = await call("POST", "/v1/runs/bulk", { key: org.ownerKey, body: { runs } });
  expect(sent.body.accepted).toBe(240);
});

const read = (path: string, query: Record<string, string>) =>
  call("GET", `/v1/orgs/${org.id}/usage/${path}?${new URLSearchParams(query)}`, { key: org.ownerKey });

async function expectAsReported(by: string): Promise<void> {
  const now = { from: date(5), to: date(-1) };
  const before = { from: date(11), to: date(5) };
  const top = (await read("top", { by, ...now, limit: "100" })).body;
  const [report, earlier] = [
    (await read("report", { group_by: by, ...now })).body,
    (await read("report", { group_by: by, ...before })).body,
  ];
  const previous = new Map(earlier.data.map((row: Record<string, string>) => [row[by], row["cost_usd"]]));
  expect(top).toMatchObject({ previous_from: before.from, previous_to: before.to, groups: report.groups });
  expect(top.data.map((row: Record<string, unknown>) => [row["name"], row["cost_usd"], row["runs"]])).toEqual(
    report.data.map((row: Record<string, unknown>) => [row[by], row["cost_usd"], row["runs"]]),
  );
  for (const row of top.data) expect(row.previous_cost_usd).toBe(previous.get(row.name) ?? "0.00");
  expect(top.totals.cost_usd).toBe(report.totals.cost_usd);
  expect(top.totals.previous_cost_usd).toBe(earlier.totals.cost_usd);
}

test.each(["customer_id", "model"])(
  "sums by %s equal those of the report, to the nano-dollar",
  expectAsReported,
);

test("also of runs that came after they were read, of names old and new, and of adjustments", async () => {
  await expectAsReported("customer_id");
  const runs = [
    { id: "late", customer_id: "customer-1", daysAgo: 0 },
    { id: "new", customer_id: "customer-new", daysAgo: 2 },
    { id: "earlier", customer_id: "customer-2", daysAgo: 8 },
    { id: "of-none", daysAgo: 1 },
    { id: "of-none-earlier", daysAgo: 9 },
  ].map(({ daysAgo, ...run }) => ({
    ...run,
    started_at: `${date(daysAgo)}T00:00:00Z`,
    model: "acme/m1",
    usage: { input_tokens: 5, output_tokens: 5 },
    cost_usd: "70.000000007",
    incurred: true,
  }));
  const sent = await call("POST", "/v1/runs/bulk", { key: org.ownerKey, body: { runs } });
  expect(sent.body.accepted).toBe(5);
  await expectAsReported("customer_id");
  const body = { amount_usd: "-60.5", reason: "refund" };
  expect((await call("POST", "/v1/runs/new/adjustments", { key: org.ownerKey, body })).status).toBe(201);
  await expectAsReported("customer_id");
});

test("days have the parts of the names that are listed", async () => {
  const { body } = await read("top", { by: "model", from: date(5), to: date(-1), limit: "2" });
  expect(body.data).toHaveLength(2);
  expect(body.groups).toBe(3);
  expect(body.days).toHaveLength(6);
  for (const day of body.days) {
    const names = day.parts.map(({ name }: { name: string }) => name);
    expect(names.every((name: string) => body.data.some((row: { name: string }) => row.name === name))).toBe(
      true,
    );
  }
});

test("more names than memory keeps are ranked, too", async () => {
  const many = await newOrg();
  await runInDurableObject(env.ORG.getByName(many.id), (_, { storage: { sql } }) => {
    sql.exec(
      `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
       INSERT INTO usage_daily (day, scope_kind, scope_id, usd, runs, tokens, counts)
       SELECT ?2, 'customer', 'c' || i, CAST(i AS TEXT), 1, 0, '' FROM n
       UNION ALL SELECT ?2, 'org', '', '1', ?1 + 1, 0, ''`,
      MOST_NAMES,
      date(1),
    );
  });
  const path = `/v1/orgs/${many.id}/usage/top?by=customer_id&limit=2&from=${date(5)}&to=${date(-1)}`;
  const { body } = await call("GET", path, { key: many.ownerKey });
  expect(body.groups).toBe(MOST_NAMES + 1);
  expect(body.data.map(({ name }: { name: string }) => name)).toEqual([
    `c${MOST_NAMES}`,
    `c${MOST_NAMES - 1}`,
  ]);
  const changed = (await call("GET", `${path}&sort=change`, { key: many.ownerKey })).body;
  expect([changed.groups, changed.data]).toEqual([MOST_NAMES + 1, body.data]);
  const found = (await call("GET", `${path}&contains=C1234`, { key: many.ownerKey })).body;
  expect([found.groups, found.data[0].name]).toEqual([11, "c12349"]);
  for (const id of ["c7", "c49999"]) await pays(many, id, { markup: "0.5" });
  const least = (await call("GET", `${path}&sort=margin`, { key: many.ownerKey })).body;
  expect(least.groups).toBe(MOST_NAMES + 1);
  expect(least.data.map(({ name }: { name: string }) => name)).toEqual(["c7", "c49999"]);
});

interface Line {
  readonly name: string | null;
  readonly cost_usd: string;
  readonly previous_cost_usd: string;
}

const nanosOf = (usd: string) =>
  BigInt(usd.replace(/^(-?\d+)\.(\d+)$/, (_, whole: string, part: string) => whole + part.padEnd(9, "0")));
const changeOf = ({ cost_usd, previous_cost_usd }: Omit<Line, "name">) => {
  const change = nanosOf(cost_usd) - nanosOf(previous_cost_usd);
  return change < 0n ? -change : change;
};

/** Each name of both reports, by how much it changed. */
async function expectChangesAsReported(by: string): Promise<void> {
  const now = { from: date(5), to: date(-1) };
  const { body: top } = await read("top", { by, ...now, limit: "100", sort: "change" });
  const costsIn = async (range: Record<string, string>) => {
    const { data } = (await read("report", { group_by: by, ...range })).body;
    return new Map<string | null, string>(
      data.map((row: Record<string, string>) => [row[by] ?? null, row["cost_usd"]]),
    );
  };
  const [costs, earlier] = [await costsIn(now), await costsIn({ from: date(11), to: date(5) })];
  const names = [...new Set([...costs.keys(), ...earlier.keys()])];
  const lines = names.map((name) => ({
    name,
    cost_usd: costs.get(name) ?? "0.00",
    previous_cost_usd: earlier.get(name) ?? "0.00",
  }));
  const byName = (one: Line, other: Line) => (String(one.name) < String(other.name) ? -1 : 1);
  const found = top.data.map(({ name, cost_usd, previous_cost_usd }: Line) => ({
    name,
    cost_usd,
    previous_cost_usd,
  })) as Line[];
  expect(found.toSorted(byName)).toEqual(lines.toSorted(byName));
  const changes = found.map(changeOf);
  expect(changes).toEqual(changes.toSorted((one, other) => (one < other ? 1 : one > other ? -1 : 0)));
  expect(top.groups).toBe(names.length);
}

test.each(["customer_id", "model"])(
  "by change, sums of %s are those of the report, with those who stopped spending",
  async (by) => {
    await expectChangesAsReported(by);
    const gone = { started_at: `${date(8)}T00:00:00Z`, model: `acme/gone-${by}`, customer_id: `gone-${by}` };
    const usage = { input_tokens: 1, output_tokens: 1 };
    const run = { ...gone, id: `gone-${by}`, usage, cost_usd: "900.000000001", incurred: true };
    expect((await call("POST", "/v1/runs", { key: org.ownerKey, body: run })).status).toBe(201);
    await expectChangesAsReported(by);
    const body = { amount_usd: "-60.5", reason: "refund" };
    const path = `/v1/runs/gone-${by}/adjustments`;
    expect((await call("POST", path, { key: org.ownerKey, body })).status).toBe(201);
    await expectChangesAsReported(by);
  },
);

test("sums that no double has are exact, also of all names and of none", async () => {
  await expectChangesAsReported("customer_id");
  const large = ["customer-1", "customer-large", undefined].map((customer_id, nth) => ({
    id: `large-${nth}`,
    customer_id,
    started_at: `${date(nth)}T00:00:00Z`,
    model: "acme/m1",
    usage: { input_tokens: 5, output_tokens: 5 },
    cost_usd: "9100000.000000001",
    incurred: true,
  }));
  const sent = await call("POST", "/v1/runs/bulk", { key: org.ownerKey, body: { runs: large } });
  expect(sent.body.accepted).toBe(3);
  await expectChangesAsReported("customer_id");
  await evict(env.ORG.getByName(org.id));
  await expectChangesAsReported("customer_id");
  await expectAsReported("customer_id");
});

async function pays(payee: TestOrg, customer: string, revenue: object): Promise<void> {
  const path = `/v1/orgs/${payee.id}/customers/${customer}`;
  expect((await call("PUT", path, { key: payee.ownerKey, body: { revenue } })).status).toBe(200);
}

test("by margin, customers bring in and leave what the report says, those who spent nothing among them", async () => {
  await pays(org, "customer-1", { usd_per_month: "3.00" });
  await pays(org, "customer-2", { markup: "0.25" });
  await pays(org, "customer-3", { usd_per_month: "900.00", markup: "0.1" });
  await pays(org, "silent", { usd_per_month: "40.00" });
  const now = { from: date(5), to: date(-1) };
  const by = "customer_id";
  const { data: reported } = (await read("report", { group_by: by, ...now })).body;
  const figures = (row: Record<string, string>) => [
    row[by] ?? row["name"] ?? null,
    row["cost_usd"],
    row["revenue_usd"],
    row["margin_usd"],
  ];
  const ofReport = reported.map(figures);
  const rank = ([, , , margin]: (string | null | undefined)[]) => Number(margin ?? Infinity);
  const expected = ofReport.toSorted((one: string[], other: string[]) => {
    return rank(one) === rank(other) ? Number(other[1]) - Number(one[1]) : rank(one) - rank(other);
  });
  const { body } = await read("top", { by, ...now, limit: "100", sort: "margin" });
  expect(body.data.map(figures)).toEqual(expected);
  expect(body.groups).toBe(reported.length);
  const two = (await read("top", { by, ...now, limit: "2", sort: "margin" })).body;
  expect(two.data).toEqual(body.data.slice(0, 2));
  const models = (await read("top", { by: "model", ...now })).body;
  expect(models.data[0]).not.toHaveProperty("margin_usd");
});

test.each(["runs", "tokens"])("by %s, the order is that of the report", async (sort) => {
  const asked = { from: date(5), to: date(-1), sort };
  const { data } = (await read("report", { group_by: "model", ...asked })).body;
  const { body } = await read("top", { by: "model", ...asked });
  const figures = (row: Record<string, unknown>) => [row["name"] ?? row["model"], row["runs"], row["tokens"]];
  const sizes = (rows: Record<string, number>[]) => rows.map((row) => row[sort]);
  expect(sizes(body.data)).toEqual(sizes(data));
  expect(body.data.map(figures).toSorted()).toEqual(data.map(figures).toSorted());
});

test("names are found by a part of them, in any order of the list", async () => {
  await pays(org, "silent", { usd_per_month: "40.00" });
  const asked = { by: "customer_id", from: date(5), to: date(-1), contains: "R-2" };
  for (const sort of ["cost_usd", "change", "margin"]) {
    const { body } = await read("top", { ...asked, sort });
    const names = body.data.map(({ name }: { name: string }) => name);
    expect([sort, names, body.groups]).toEqual([sort, ["customer-2"], 1]);
  }
  const all = (await read("top", { by: "customer_id", from: date(5), to: date(-1) })).body;
  expect((await read("top", asked)).body.totals).toEqual(all.totals);
});

test("support is not told what customers pay", async () => {
  await pays(org, "customer-2", { markup: "0.25" });
  const grant = { scope: "read_only", reason: "Ticket 4411.", expires_in_seconds: 7200 };
  const granted = await call("POST", `/v1/orgs/${org.id}/support-grants`, { key: org.ownerKey, body: grant });
  const body = { grant_id: granted.body.id };
  const session = await call("POST", "/v1/admin/support-sessions", { key: operatorKey(), body });
  const path = `/v1/orgs/${org.id}/usage/top?by=customer_id&sort=margin`;
  const top = await call("GET", path, { key: session.body.token });
  expect([top.status, top.body.data.length > 0]).toEqual([200, true]);
  for (const row of top.body.data) expect(Object.keys(row)).not.toContain("margin_usd");
});

test.each([
  [{ from: "2026-01-05", to: "2026-01-05" }, "to"],
  [{ sort: "margin" }, "sort"],
  [{ contains: "" }, "contains"],
  [{ from: "2024-01-05", to: "2026-01-05" }, "to"],
  [{ from: "2026-01-05", to: "2026-01-09", previous_to: "2026-01-07" }, "previous_to"],
  [{ from: "2026-01-05", to: "2026-01-09", previous_from: "2026-01-05" }, "previous_to"],
  [{ by: "user_id" }, "by"],
])("a range or group that cannot be read is refused: %j", async (query, field) => {
  const answer = await read("top", { by: "model", ...(query as Record<string, string>) });
  expect([answer.status, answer.body.error.details.fields[0].field]).toEqual([422, field]);
});

test("another org's key reads nothing", async () => {
  const other = await newOrg();
  const path = `/v1/orgs/${org.id}/usage/top?by=model`;
  expect((await call("GET", path, { key: other.ownerKey })).status).toBe(404);
});
