import { beforeAll, expect, test } from "vitest";
import { call, newOrg, type TestOrg } from "../support/worker.ts";

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

test.each(["customer_id", "model"])(
  "sums by %s equal those of the report, to the nano-dollar",
  async (by) => {
    const now = { from: date(5), to: date(-1) };
    const before = { from: date(11), to: date(5) };
    const top = (await read("top", { by, ...now, limit: "100" })).body;
    const [report, earlier] = [
      (await read("report", { group_by: by, ...now })).body,
      (await read("report", { group_by: by, ...before })).body,
    ];
    const previous = new Map(earlier.data.map((row: Record<string, string>) => [row[by], row["cost_usd"]]));
    expect(top).toMatchObject({ previous_from: before.from, previous_to: before.to, groups: report.groups });
    expect(
      top.data.map((row: Record<string, unknown>) => [row["name"], row["cost_usd"], row["runs"]]),
    ).toEqual(report.data.map((row: Record<string, unknown>) => [row[by], row["cost_usd"], row["runs"]]));
    for (const row of top.data) expect(row.previous_cost_usd).toBe(previous.get(row.name) ?? "0.00");
    expect(top.totals.cost_usd).toBe(report.totals.cost_usd);
    expect(top.totals.previous_cost_usd).toBe(earlier.totals.cost_usd);
  },
);

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
