import { beforeAll, describe, expect, test } from "vitest";
import { parseUsd } from "../../src/domain/price/money.ts";
import { columnProblems, type FocusRow, readCsv, rowProblems } from "../support/focus-facts.ts";
import { aRun, newSpender, type Spender } from "../support/ledger.ts";
import { call } from "../support/worker.ts";

const DAY = 86_400;
const VERSIONS = ["1.2", "1.4"] as const;

const nanos = (text: string) =>
  text.startsWith("-") ? -(parseUsd(text.slice(1)) ?? 0n) : (parseUsd(text) ?? 0n);
const sum = (rows: readonly FocusRow[], column: string) =>
  rows.reduce((all, row) => all + nanos(row[column] ?? ""), 0n);

let org: Spender;
let [range, now] = ["", 0];

/** Runs of two days and two months: priced and reported, with every kind of name, and an adjustment of each month. */
async function spend(): Promise<void> {
  org = await newSpender({ name: "=Acme" });
  now = await org.advance(1);
  const at = (days: number) => new Date(now - days * DAY * 1000).toISOString();
  await org.send("PUT", "models/acme%2Fm2", {
    provider: "acme",
    input_usd_per_mtok: "3",
    output_usd_per_mtok: "0.333333333",
    cache_read_usd_per_mtok: "0.3",
    units: { web_search: "0.01" },
    variants: { batch: "0.5" },
    tiers: [{ above_input_tokens: 1000, input_usd_per_mtok: "6", output_usd_per_mtok: "1" }],
    effective_at: at(60),
  });
  const usage = { input_tokens: 101, output_tokens: 7, cache_read_tokens: 33, units: { web_search: 2 } };
  const priced = { model: "acme/m2", cost_usd: undefined, usage, provider: "Acme Inc" };
  const made = await org.bulk([
    ...Array.from({ length: 30 }, (_, n) => aRun({ ...priced, id: `p${n}`, started_at: at(0) })),
    aRun({ ...priced, id: "batch", variant: "batch", started_at: at(0) }),
    aRun({ ...priced, id: "tier", usage: { input_tokens: 2000, output_tokens: 9 }, started_at: at(0) }),
    aRun({
      ...priced,
      id: "scoped",
      started_at: at(1),
      customer_id: "+c",
      workflow_id: "-w",
      tags: { team: "=x" },
    }),
    aRun({ id: "told", started_at: at(1), customer_id: "@c", model: "=1+1", cost_usd: "0.123456789" }),
    aRun({ id: "old", started_at: at(40), cost_usd: "5", department_id: "d", deployment_id: "e" }),
  ]);
  expect(made.body).toMatchObject({ accepted: 35 });
  const adjust = (id: string, amount_usd: string) =>
    call("POST", `/v1/runs/${id}/adjustments`, { key: org.key, body: { amount_usd, reason: "invoice" } });
  expect((await adjust("old", "-1.25")).status).toBe(201);
  expect((await adjust("told", "0.5")).status).toBe(201);
  range = `from=${at(90).slice(0, 10)}&to=${new Date(now + DAY * 1000).toISOString().slice(0, 10)}`;
}

const exported = async (query: string) => {
  const answer = await call("GET", `/v1/runs/export?${range}&format=focus&${query}`, { key: org.key });
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"]);
  return { text: answer.text, ...readCsv(answer.text) };
};

beforeAll(spend);

describe.each(VERSIONS)("an export as FOCUS %s", (version) => {
  test("has the columns, types and values that the specification requires", async () => {
    const { columns, rows } = await exported(`focus_version=${version}`);
    expect(columnProblems(version, columns)).toEqual([]);
    expect(rows.length).toBeGreaterThan(12);
    expect(rows.flatMap((row) => rowProblems(version, row))).toEqual([]);
  });

  test("adds up to the usage report, to the nano-dollar, and by customer", async () => {
    const { rows } = await exported(`focus_version=${version}`);
    const report = await org.send("GET", `usage/report?${range}&group_by=customer_id`);
    for (const column of ["BilledCost", "EffectiveCost"]) {
      expect(sum(rows, column)).toBe(nanos(report.body.totals.cost_usd as string));
    }
    for (const { customer_id: customer, cost_usd: cost } of report.body.data as Record<string, string>[]) {
      const own = rows.filter((row) => row["SubAccountId"] === (customer === null ? "" : `'${customer}`));
      expect(sum(own, "BilledCost")).toBe(nanos(cost ?? ""));
    }
  });
});

test("rows are by day, scope, model and token class, each with its unit price", async () => {
  const { rows } = await exported("");
  const today = new Date(now).toISOString().slice(0, 10);
  const own = rows.filter(
    (row) => row["x_Model"] === "acme/m2" && row["ChargePeriodStart"] === `${today}T00:00:00Z`,
  );
  const shown = own.map((row) => [
    row["x_TokenClass"] || row["SkuMeter"],
    row["ConsumedQuantity"],
    row["ListUnitPrice"],
    row["PricingUnit"],
  ]);
  expect(shown).toEqual(
    expect.arrayContaining([
      ["input", String(30 * 68), "3", "1000000 Tokens"],
      ["cache_read", String(30 * 33), "0.3", "1000000 Tokens"],
      ["output", String(30 * 7), "0.333333333", "1000000 Tokens"],
      ["web_search", "60", "0.01", "Units"],
      ["input", "68", "1.5", "1000000 Tokens"],
      ["input", "2000", "6", "1000000 Tokens"],
    ]),
  );
  expect(new Set(own.map((row) => row["ProviderName"]))).toEqual(new Set(["Acme Inc"]));
});

test("an adjustment is a charge of its own, and a correction if its run is of an earlier month", async () => {
  const { rows } = await exported("");
  const adjustments = rows.filter((row) => row["ChargeCategory"] === "Adjustment");
  expect(adjustments.map((row) => [row["BilledCost"], row["ChargeClass"], row["x_DepartmentId"]])).toEqual([
    ["-1.25", "Correction", "d"],
    ["0.5", new Date(now - DAY * 1000).getUTCMonth() === new Date(now).getUTCMonth() ? "" : "Correction", ""],
  ]);
});

test("no text of a FOCUS file begins a formula", async () => {
  const { text, rows } = await exported("");
  expect(rows.map((row) => row["BillingAccountName"])).toContain("'=Acme");
  expect(rows.map((row) => row["x_WorkflowId"])).toContain("'-w");
  const begun = text.match(/(?:^|,|\n)"?[=+@\t]|(?:^|,|\n)"?-(?!\d+(?:\.\d+)?(?:,|\r))/g);
  expect(begun).toBeNull();
});

test("filters apply to runs and adjustments alike", async () => {
  const { rows } = await exported("customer_id=%40c");
  expect(rows.map((row) => row["BilledCost"])).toEqual(["0.123456789", "0.5"]);
  expect((await exported("customer_id=nobody")).rows).toEqual([]);
  expect((await exported("department_id=d")).rows.map((row) => row["BilledCost"])).toEqual(["5", "-1.25"]);
});

test.each([
  ["focus_version", "format=focus&focus_version=1.3"],
  ["focus_version", "format=csv&focus_version=1.2"],
])("an export is refused at %s for %s", async (field, query) => {
  const { status, body } = await call("GET", `/v1/runs/export?${query}`, { key: org.key });
  expect([status, body.error.details.fields[0].field]).toEqual([422, field]);
});
