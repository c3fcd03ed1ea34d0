import { beforeAll, describe, expect, test } from "vitest";
import { columnNames, sortKeyOf } from "../../../src/web/console/view/table-order.ts";
import { type Browser, signedIn } from "../../support/session.ts";
import { call, newOrg, type TestOrg } from "../../support/worker.ts";

/** Tables that are sorted by their address, and customers by what they spend and leave. */

const DAY_MS = 86_400_000;
let org: TestOrg;
let browser: Browser;

beforeAll(async () => {
  org = await newOrg();
  browser = await signedIn(org.id);
  const send = async (method: string, path: string, body: object) => {
    const answer = await call(method, path, { key: org.ownerKey, body });
    expect([path, answer.status < 300]).toEqual([path, true]);
  };
  for (const [name, limit_usd] of [
    ["Beta", "9.00"],
    ["alpha", "1200.00"],
    ["Gamma", "80.00"],
  ]) {
    await send("POST", `/v1/orgs/${org.id}/budgets`, { name, scope_kind: "org", limit_usd, period: "month" });
  }
  const run = (daysAgo: number, customer_id: string, cost_usd: string) => ({
    started_at: new Date(Date.now() - daysAgo * DAY_MS).toISOString(),
    model: "acme/m1",
    customer_id,
    usage: { input_tokens: 1, output_tokens: 1 },
    cost_usd,
    incurred: true,
  });
  const runs = [
    run(0, "steady", "30.00"),
    run(8, "steady", "29.00"),
    run(0, "grown", "20.00"),
    run(8, "grown", "2.00"),
    run(0, "loss", "10.00"),
    run(8, "left", "12.00"),
  ];
  await send("POST", "/v1/runs/bulk", { runs });
  const revenue = { usd_per_month: "0.01", markup: null };
  await send("PUT", `/v1/orgs/${org.id}/customers/loss`, { revenue });
  await send("PUT", `/v1/orgs/${org.id}/customers/steady`, {
    revenue: { usd_per_month: null, markup: "0.5" },
  });
  const paying = { revenue: { usd_per_month: "5.00", markup: null } };
  await send("PUT", `/v1/orgs/${org.id}/customers/paying`, paying);
});

const text = async (path: string) => {
  const answer = await browser.get(path);
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.text();
};

const firstCells = (page: string) =>
  [...page.matchAll(/<tr role="row"><td role="cell"[^>]*><div><a href="[^"]*">([^<]*)</g)].map(
    ([, name]) => name,
  );

describe("a table", () => {
  test("is sorted by any column that its address names, in both directions", async () => {
    const limits = "/console/budgets?order=-budgets.limit";
    const [down, up] = [await text(limits), await text(limits.replace("=-", "="))];
    expect(firstCells(down)).toEqual(["alpha", "Gamma", "Beta"]);
    expect(firstCells(up)).toEqual(["Beta", "Gamma", "alpha"]);
    expect(down).toContain('aria-sort="descending"');
    expect(firstCells(await text("/console/budgets?order=budgets.budget"))).toEqual([
      "alpha",
      "Beta",
      "Gamma",
    ]);
  });

  test("links each of its columns, keeps the filters, and has no link to sort by actions", async () => {
    const page = await text("/console/budgets?scope_kind=org");
    expect(page).toMatch(/<a href="\/console\/budgets\?scope_kind=org&amp;order=-budgets\.limit">Limit<\/a>/);
    expect(page).not.toContain("budgets.actions");
  });

  test("stays as it is if the address names no column of it, or another table", async () => {
    const asIs = firstCells(await text("/console/budgets"));
    for (const order of ["budgets.nothing", "keys.limit", "<script>", "-"]) {
      const page = await text(`/console/budgets?${new URLSearchParams({ order })}`);
      expect([order, firstCells(page)]).toEqual([order, asIs]);
      expect(page).not.toContain("<script>");
    }
  });

  test("is sorted by dates as dates, and by changes as shares", async () => {
    const days = (page: string) =>
      [...page.matchAll(/data-title="Day"><div><a [^>]*>([^<]*)</g)].map(([, date]) => date);
    const range = "range=custom&from=2026-01-30&to=2026-02-03";
    const page = await text(`/console?${range}&order=-figures-of-the-chart.day`);
    expect(days(page)).toEqual(["2 Feb", "1 Feb", "31 Jan", "30 Jan"]);
    expect(page).toContain('<details class="figures" open="">');
    expect(await text(`/console?${range}`)).toContain('<details class="figures">');
    const byChange = await text("/console/customers?range=7d&by=spend&order=-customers.change");
    expect(firstCells(byChange)).toEqual(["loss", "grown", "steady"]);
  });

  test("names columns apart that have the same letters, or none", () => {
    expect(columnNames(["Total", "total!", "日本", "Before"])).toEqual([
      "total",
      "column-2",
      "column-3",
      "before",
    ]);
  });

  test("of runs keeps the days that the page was opened with", async () => {
    const page = await text("/console/runs?order=-runs.cost");
    expect(page).toMatch(/aria-current="true">7 days</);
    expect(page.match(/data-title="Cost"/g)).toHaveLength(3);
  });

  test.each([
    ["$1,234.50 of $2,000.00", 1234.5],
    ["-$3.00", -3],
    ["12 %", 12],
    ["5 Nov 2026, 14:03 UTC", Date.UTC(2026, 10, 5, 14, 3)],
    ["Acme 2", "acme 2"],
    ["–", null],
    ["Never", null],
  ])("takes %s for what it is", (shown, key) => expect(sortKeyOf(shown)).toBe(key));

  test("counts less than a cent as less than a cent", () => {
    expect(Number(sortKeyOf("<$0.01"))).toBeLessThan(0.01);
  });
});

describe("customers", () => {
  const names = async (query: string) => firstCells(await text(`/console/customers?range=7d&${query}`));

  test("are ranked by spend, by change and by margin", async () => {
    expect(await names("by=spend")).toEqual(["steady", "grown", "loss"]);
    expect(await names("by=change")).toEqual(["grown", "left", "loss", "steady"]);
    expect(await names("by=margin")).toEqual(["loss", "paying", "steady", "grown"]);
  });

  test("are filtered by a part of their id, and keep the ranking", async () => {
    expect(await names("by=spend&contains=OS")).toEqual(["loss"]);
    const page = await text("/console/customers?by=margin&contains=nobody");
    expect(page).toContain("Nothing matches");
    expect(page).toContain('<input type="hidden" name="by" value="margin"/>');
  });

  test("show a loss, and say how much each changed", async () => {
    const page = await text("/console/customers?range=7d&by=margin");
    expect(page).toContain('<span class="loss">');
    expect(page).toMatch(/▲ <\/span>10 times|▲ <\/span>900 %/);
  });
});
