import { runInDurableObject } from "cloudflare:test";
import { beforeAll, expect, test } from "vitest";
import { MOST_NAMES } from "../../src/org/runs/range-sums.ts";
import { call, env, newOrg, type TestOrg } from "../support/worker.ts";

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

test.each([
  [{ from: "2026-01-05", to: "2026-01-05" }, "to"],
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
