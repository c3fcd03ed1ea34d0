import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  amountTyped,
  commaProblem,
  shareShown,
  sharesTyped,
} from "../../../src/web/console/view/amount-typed.ts";
import { aRun } from "../../support/ledger.ts";
import { signedIn } from "../../support/session.ts";
import { call, newOrg } from "../../support/worker.ts";

/** Forms take what people type, and ask once more before something far-reaching. */

const opened = async () => {
  const org = await newOrg();
  const read = async (path: string) =>
    (await call("GET", `/v1/orgs/${org.id}/${path}`, { key: org.ownerKey })).body;
  return { org, read, browser: await signedIn(org.id) };
};

describe("amounts", () => {
  test.each([
    ["$1,250", "1250"],
    ["1,250.50", "1250.50"],
    ["US$ 12.5", "12.5"],
    ["1250 USD", "1250"],
    ["12", "12"],
    ["12,50", "12,50"],
    ["1,25,0", "1,25,0"],
    ["ten dollars", "ten dollars"],
    ["-5", "-5"],
  ])("%s is %s", (typed, amount) => {
    expect(amountTyped(typed)).toBe(amount);
  });

  test.each([
    ["12,50", "12.50"],
    ["$12,5", "12.5"],
    ["1.250,00 USD", "1250.00"],
  ])("%s has a comma where a point belongs: %s", (typed, meant) => {
    expect(commaProblem(typed)).toBe(`has a comma before its cents. Write ${meant}`);
  });

  test.each(["12.50", "1,250", "many", ""])("%s has no comma before its cents", (typed) => {
    expect(commaProblem(typed)).toBeNull();
  });

  test("shares are typed as percentages or fractions, and shown as percentages", () => {
    expect(sharesTyped("80%, 100 %; 7.5%")).toEqual(["0.8", "1", "0.075"]);
    expect(sharesTyped("0.8 1")).toEqual(["0.8", "1"]);
    expect(sharesTyped("most")).toEqual(["most"]);
    expect(["0.8", "1", "0.075", "10", "0.000000001"].map(shareShown)).toEqual([
      "80%",
      "100%",
      "7.5%",
      "1000%",
      "0.0000001%",
    ]);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), (part) => {
        const share = String(part / 1000);
        expect(sharesTyped(shareShown(share))).toEqual([share]);
      }),
    );
  });

  test("a form takes $1,250 and 80%, and says in words why it does not take 12,50", async () => {
    const { browser, read } = await opened();
    const budget = { scope_kind: "workflow", scope_id: "w", period: "month", alert_thresholds: "80%, 100 %" };
    const refused = await browser.post("/console/budgets", { ...budget, limit_usd: "12,50" });
    const page = await refused.text();
    expect([refused.status, page.includes("has a comma before its cents. Write 12.50")]).toEqual([422, true]);
    expect(page).toContain('value="80%, 100 %"');
    const made = await browser.post("/console/budgets", { ...budget, limit_usd: "$1,250" });
    expect(made.headers.get("location")).toBe("/console/budgets?notice=created");
    const [kept] = (await read("budgets")).data;
    expect(kept).toMatchObject({ limit_usd: "1250.00", alert_thresholds: ["0.8", "1"] });
    expect(await (await browser.get(`/console/budgets/${kept.id}`)).text()).toContain('value="80%, 100%"');
    const wrong = await browser.post(`/console/budgets/${kept.id}`, { alert_thresholds: "80" });
    expect(await wrong.text()).toContain("such as 80%, 100%");
  });
});

describe("a new budget", () => {
  const everything = { scope_kind: "org", limit_usd: "5", period: "month", mode: "enforce" };

  test("starts at the whole organization", async () => {
    const page = await (await (await opened()).browser.get("/console/budgets/new")).text();
    const [, options = ""] = /<select[^>]*name="scope_kind"[^>]*>(.*?)<\/select>/s.exec(page) ?? [];
    expect(options).toMatch(/^<option value="org"[^>]*>Whole organization</);
    expect(options).not.toContain("selected");
  });

  test.each([
    ["the whole organization", everything],
    ["calls that match nothing in particular", { ...everything, scope_kind: "match" }],
  ])("of %s is created when it was asked once more, and not before", async (_, fields) => {
    const { browser, read } = await opened();
    const asked = await browser.post("/console/budgets", fields);
    const page = await asked.text();
    expect([asked.status, page.includes("It applies to every call of the organization.")]).toEqual([
      200,
      true,
    ]);
    expect(page).toContain("All calls together may spend $5.00 a month.");
    expect(page).toContain('name="_sure" value="yes"');
    expect((await read("budgets")).data).toEqual([]);
    const made = await browser.post("/console/budgets", { ...fields, _sure: "yes" });
    expect(made.headers.get("location")).toBe("/console/budgets?notice=created");
    expect((await read("budgets")).data).toHaveLength(1);
  });

  test.each([
    ["of one workflow", { ...everything, scope_kind: "workflow", scope_id: "w" }],
    ["that only reports", { ...everything, mode: "shadow" }],
    ["of one model", { ...everything, scope_kind: "match", "match.model": "gpt-*" }],
    ["that counts each user apart", { ...everything, scope_kind: "match", group_by: "user_id" }],
  ])("%s is created at once", async (_, fields) => {
    const { browser, read } = await opened();
    await browser.post("/console/budgets", fields);
    expect((await read("budgets")).data).toHaveLength(1);
  });
});

test("the tags of runs are offered where one is asked for, escaped", async () => {
  const { org, browser } = await opened();
  const body = aRun({ tags: { team: 'a"><b>' } });
  expect((await call("POST", "/v1/runs", { key: org.ownerKey, body })).status).toBe(201);
  const overview = await (await browser.get("/console?by=tag")).text();
  expect(overview).toContain('<datalist id="tags"><option value="team"');
  expect(overview).toMatch(/href="\/console\?[^"]*tag=team">team</);
  const form = await (await browser.get("/console/budgets/new")).text();
  expect(form).toContain('value="team=a&quot;&gt;&lt;b&gt;"');
  expect(form).toContain('<option value="tag:team"');
  for (const field of ["match-tags", "group_by"]) {
    expect(form).toContain(`list="${field}-offered"`);
    expect(form).toContain(`<datalist id="${field}-offered">`);
  }
  expect(form).not.toContain("<b>");
});

test("what a webhook hears about is picked from a list, when it is made and when it is changed", async () => {
  const { org, browser, read } = await opened();
  const body = { url: "https://hooks.example.com/a", events: ["budget.exceeded", "key.*"] };
  const { id } = (await call("POST", `/v1/orgs/${org.id}/webhooks`, { key: org.ownerKey, body })).body;
  const page = await (await browser.get(`/console/webhooks/${id}`)).text();
  const checked = [...page.matchAll(/<input type="checkbox" name="events" value="([^"]+)" checked/g)];
  expect(checked.map(([, value]) => value)).toEqual(["key.*", "budget.exceeded"]);
  expect(page).toContain('value="run.recorded"');
  const none = await browser.post(`/console/webhooks/${id}`, { url: body.url, status: "enabled" });
  expect([none.status, (await none.text()).includes('id="events-error"')]).toEqual([422, true]);
  await browser.post(`/console/webhooks/${id}`, { url: body.url, status: "enabled", events: "quota.*" });
  expect((await read(`webhooks/${id}`)).events).toEqual(["quota.*"]);
});
