import { beforeAll, expect, test } from "vitest";
import { stylesheet } from "../../../src/web/console/theme/stylesheet.ts";
import { type Browser, signedIn } from "../../support/session.ts";
import { call, newOrg, type TestOrg } from "../../support/worker.ts";

/** What is sent on: a report that prints and downloads, and a digest with its preview. */

let org: TestOrg;
let browser: Browser;

beforeAll(async () => {
  org = await newOrg();
  browser = await signedIn(org.id);
  const runs = ["<b>globex</b>", "initech"].map((customer_id, at) => ({
    started_at: new Date().toISOString(),
    model: "acme/m1",
    customer_id,
    usage: { input_tokens: 10, output_tokens: 1 },
    cost_usd: `${3 - at}.00`,
    incurred: true,
  }));
  const sent = await call("POST", "/v1/runs/bulk", { key: org.ownerKey, body: { runs } });
  expect(sent.status).toBe(200);
});

const text = async (path: string) => {
  const answer = await browser.get(path);
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.text();
};

test("a report has the totals, the chart, each name with its share, and what is unusual, escaped", async () => {
  const page = await text("/console/report?range=7d&by=customer_id");
  for (const words of ["$5.00", "Spend by day", "By customer", "60.0 %", "40.0 %", "Unusual"]) {
    expect([words, page.includes(words)]).toEqual([words, true]);
  }
  expect(page).toContain("&lt;b&gt;globex&lt;/b&gt;");
  expect(page).not.toContain("<b>globex");
  expect(page).toContain(">initech<");
});

test("the overview leads to the report of the same view", async () => {
  const page = await text("/console?range=7d&by=model&unit=tokens");
  const [, link = ""] = /href="(\/console\/report\?[^"]*)"/.exec(page) ?? [];
  expect(link.split("?")[1]?.split("&amp;").toSorted()).toEqual(["by=model", "range=7d", "unit=tokens"]);
  expect(await text(link.replaceAll("&amp;", "&"))).toContain("Tokens by day");
});

test("a report is downloaded by day and name, as a file", async () => {
  const page = await text("/console/report?range=7d&by=customer_id");
  const [, link = ""] = /href="(\/console\/report\/export\?[^"]*)"/.exec(page) ?? [];
  const file = await browser.get(link.replaceAll("&amp;", "&"));
  expect([file.status, file.headers.get("content-disposition")]).toEqual([
    200,
    `attachment; filename="spend-${org.id}.csv"`,
  ]);
  const [head = "", ...rows] = (await file.text()).trim().split("\n");
  expect(head).toMatch(/^day,customer_id,cost_usd,/);
  expect(rows).toHaveLength(2);
});

test("on paper there is nothing to click, and tables stay tables", () => {
  const [, print = ""] = /@media print\{(.*)/.exec(stylesheet) ?? [];
  expect(print).toMatch(/\.side,[^{]*\.head \.actions[^{]*\{display:none;?\}/);
  for (const [width] of stylesheet.matchAll(/@media[^{]*max-width[^{]*/g)) {
    expect([width, width.includes("screen")]).toEqual([width, true]);
  }
});

test("a digest is set, shows what it would say, and is changed and deleted", async () => {
  const made = await browser.post("/console/digests", {
    name: "weekly",
    every: "week",
    at: "09:00",
    timezone: "UTC",
  });
  expect(made.status).toBe(303);
  const page = await text("/console/digests/weekly");
  expect(page).toContain("Preview");
  expect(page).toMatch(/The last one: \d+ \w+ to \d+ \w+/);
  const listed = await call("GET", `/v1/orgs/${org.id}/digests`, { key: org.ownerKey });
  expect(listed.body.data.map(({ name, every }: { name: string; every: string }) => [name, every])).toEqual([
    ["weekly", "week"],
  ]);
  const changed = { every: "month", at: "10:00", timezone: "UTC" };
  expect((await browser.post("/console/digests/weekly", changed)).status).toBe(303);
  expect((await browser.post("/console/digests/weekly/delete", {})).status).toBe(303);
  expect((await browser.get("/console/digests/weekly")).status).toBe(404);
});
