import type { Browser, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { type Northwind, seedNorthwind } from "../../../scripts/northwind/seed.ts";
import { chromiumIsMissing, launch, MISSING_NOTE } from "../../support/chromium.ts";
import type { HttpAnswer } from "../../support/http.ts";
import { callerAt, type ServerFixture, serverFixture } from "../../support/server.ts";

/** Each question to the console is answered within three clicks from the overview, without scripts. */

const DAY_MS = 86_400_000;
const MOST_CLICKS = 3;

/** A reader who begins at the overview, and whose clicks are counted. */
class Reader {
  readonly page: Page;
  #clicks = 0;

  constructor(page: Page) {
    this.page = page;
  }

  /** To another page: the one before says nothing of what the click was for. */
  async click(what: string): Promise<void> {
    const moved = this.page.waitForEvent("framenavigated");
    await this.press(what);
    await moved;
    await this.page.waitForLoadState("domcontentloaded");
  }

  async press(what: string): Promise<void> {
    this.#clicks += 1;
    expect(this.#clicks, `clicks up to ${what}`).toBeLessThanOrEqual(MOST_CLICKS);
    await this.page.locator(what).first().click();
  }

  nav(title: string): Promise<void> {
    return this.click(`#nav a[title='${title}']`);
  }

  /** What is on the page, in one line. */
  async text(of = "main"): Promise<string> {
    return (await this.page.locator(of).first().innerText()).replaceAll(/\s+/g, " ");
  }
}

describe.skipIf(chromiumIsMissing)(`three clicks from the overview in Chromium${MISSING_NOTE}`, () => {
  let browser: Browser;
  let fixture: ServerFixture;
  let base: string;
  let org: Northwind;
  let page: Page;

  beforeAll(async () => {
    fixture = await serverFixture({ withNorthwind: true });
    const { northwind, settings, urls } = fixture.server;
    [base] = urls;
    if (northwind === null) throw new Error("a new folder has no Northwind to make");
    org = await seedNorthwind({ url: base, key: settings["SVC_OPERATOR_KEY"] ?? "" }, northwind);
    browser = await launch();
    page = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
    await page.goto(await consoleLink());
    return async () => {
      await browser.close();
      await fixture.end();
    };
  });

  /** It signs in once. */
  async function consoleLink(): Promise<string> {
    const path = `/v1/orgs/${org.org_id}/console-links`;
    return (await callerAt(base)("POST", path, { key: org.owner_key })).body.url as string;
  }

  /** What the API says of the organization. */
  async function api(path: string): Promise<HttpAnswer["body"]> {
    const answer = await callerAt(base)("GET", `/v1/orgs/${org.org_id}/${path}`, { key: org.owner_key });
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.body;
  }

  const begin = async (): Promise<Reader> => {
    await page.goto(`${base}/console`);
    return new Reader(page);
  };

  /** The range of the overview. */
  const range = () => {
    const day = (ago: number) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10);
    return `from=${day(29)}&to=${day(-1)}`;
  };

  test("who spent", async () => {
    const reader = await begin();
    const { data } = await api(`usage/report?group_by=customer_id&${range()}`);
    const top = data.toSorted(
      (one: { cost_usd: string }, other: { cost_usd: string }) =>
        Number(other.cost_usd) - Number(one.cost_usd),
    )[0];
    expect(await reader.text(".ranking li:first-child .label > :first-child")).toBe(top.customer_id);
    await reader.click(".ranking li:first-child .label > a:last-child");
    expect(await reader.page.inputValue("#customer_id")).toBe(top.customer_id);
    const shown = await reader.page.locator("main .usd, main .number").allInnerTexts();
    expect(shown.some((text) => Number(text.replaceAll(/[$,]/g, "")) === Number(top.cost_usd))).toBe(true);
  });

  test("what runs out", async () => {
    const reader = await begin();
    const card = "section:has(h2:text-is('What runs out next'))";
    expect(await reader.text(card)).toContain("initech");
    await reader.click(`${card} a:has-text('Contract review')`);
    const { data } = await api("budgets?limit=200");
    const { spent, limit } = data.find(({ name }: { name: string }) => name === "Contract review");
    expect(await reader.text("h1")).toBe("Contract review");
    const [, over] = /\$([\d.]+) over/.exec(await reader.text()) ?? [];
    expect(Number(over)).toBeCloseTo(Number(spent) - Number(limit), 6);
  });

  test("what was refused, and by what", async () => {
    const reader = await begin();
    await reader.click("section:has(h2:text-is('Refused today')) li:has-text('Credits exhausted') a");
    const rows = reader.page.locator("main tbody tr");
    expect([await rows.count(), await rows.first().innerText()]).toEqual([
      2,
      expect.stringContaining("umbrella"),
    ]);
  });

  test("what changed", async () => {
    const reader = await begin();
    await reader.click("a:text-is('Changed most')");
    const first = await reader.text(".ranking li:first-child");
    expect(first).toMatch(/[▲▼] \d+ %.*before: \$\d/);
    const days = (from: number, to: number) =>
      [from, to].map((ago) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10));
    const costs = async ([from, to]: string[]) =>
      new Map<string, number>(
        (await api(`usage/report?group_by=customer_id&from=${from}&to=${to}`)).data.map(
          (row: { customer_id: string; cost_usd: string }) => [row.customer_id, Number(row.cost_usd)],
        ),
      );
    const [now, before] = [await costs(days(29, -1)), await costs(days(59, 29))];
    const changes = [...now].map(([id, usd]) => [id, Math.abs(usd - (before.get(id) ?? 0))] as const);
    const [most] = changes.toSorted((one, other) => other[1] - one[1]);
    expect(first.startsWith(most?.[0] ?? "nobody")).toBe(true);
  });

  test("what is unusual, and why", async () => {
    const reader = await begin();
    await reader.click("a:text-is('Unusual')");
    const { data } = await api(`usage/unusual?${range()}`);
    const globex = data.find(({ subject_id }: { subject_id: string }) => subject_id === "globex");
    const text = await reader.text(".ranking li:has-text('globex')");
    expect(text).toMatch(/^globex ▲ \$/);
    await reader.click(`.ranking li:has-text('globex') a[href*='${globex.date}']`);
    expect(await reader.page.inputValue("#from")).toBe(globex.date);
  });

  test("what was saved", async () => {
    const reader = await begin();
    await reader.click("a:text-is('Report')");
    const { totals } = await api(`usage/report?group_by=day&${range()}`);
    const tile = reader.page.locator(".tile:has(dt:text-is('Saved')) .number");
    expect(Number(totals.saved_usd)).toBeGreaterThan(1);
    expect(Number((await tile.first().innerText()).replaceAll(/[$,]/g, ""))).toBe(Number(totals.saved_usd));
  });

  test("who is unprofitable", async () => {
    const reader = await begin();
    await reader.nav("Customers");
    await reader.click("nav[aria-label='Order'] a:has-text('margin')");
    const { data } = await api(`usage/report?group_by=customer_id&${range()}`);
    const [least] = data.toSorted(
      (one: { margin_usd: string }, other: { margin_usd: string }) =>
        Number(one.margin_usd) - Number(other.margin_usd),
    );
    const row = await reader.text("main tbody tr:first-child");
    expect(Number(least.margin_usd)).toBeLessThan(0);
    expect([row.startsWith(least.customer_id), row.includes("-$")]).toEqual([true, true]);
  });

  test("a budget with an alert", async () => {
    const reader = await begin();
    await reader.nav("Budgets");
    await reader.click("a:text-is('New budget')");
    await page.fill("#name", "Lead scoring");
    await page.selectOption("#scope_kind", "workflow");
    await page.fill("#scope_id", "lead-scoring");
    await page.fill("#limit_usd", "$1,250");
    await page.fill("#alert_thresholds", "75%");
    await reader.click("button:text-is('Create budget')");
    expect(await reader.text("tbody tr:has-text('Lead scoring')")).toContain("$1,250.00");
    const { data } = await api("budgets?limit=200");
    expect(data.find(({ name }: { name: string }) => name === "Lead scoring")).toMatchObject({
      limit_usd: "1250.00",
      alert_thresholds: ["0.75"],
    });
  });

  test("credit for a customer", async () => {
    const reader = await begin();
    await reader.click(".ranking a:text-is('globex')");
    await reader.click("a:text-is('Grant credits')");
    expect(await page.inputValue("#customer_id")).toBe("globex");
    await page.fill("#amount_usd", "42.50");
    await reader.click("form.form button.primary");
    const { data } = await api("credit-packs?customer_id=globex");
    expect(data).toMatchObject([{ amount_usd: "42.50", status: "live" }]);
    expect(await reader.text("tbody tr:has-text('globex')")).toContain("$42.50");
  });

  test("an approval", async () => {
    const reader = await begin();
    const { data } = await api("approvals?status=pending");
    await reader.nav("Rules");
    await reader.click(".subnav a:has-text('Approvals')");
    await reader.click("tr:has-text('pending') button:text-is('Approve')");
    expect(await reader.text()).toContain("Approved. The same attempt is now allowed once.");
    expect((await api("approvals?status=pending")).data).toHaveLength(data.length - 1);
    expect((await api("approvals?status=approved")).data).toHaveLength(1);
  });

  test("an export", async () => {
    const reader = await begin();
    await reader.click("a:text-is('Report')");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      reader.press("a:text-is('Download CSV')"),
    ]);
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
    const [head = "", ...lines] = Buffer.concat(chunks).toString().trim().split("\r\n");
    const at = head.split(",").indexOf("cost_usd");
    const sum = lines.reduce((total: number, line: string) => total + Number(line.split(",")[at]), 0);
    const { totals } = await api(`usage/report?group_by=day&${range()}`);
    expect(sum).toBeCloseTo(Number(totals.cost_usd), 6);
  });

  test("a link to share", async () => {
    const reader = await begin();
    await reader.click("a:text-is('Report')");
    await reader.click("nav[aria-label='Spending by'] a:text-is('Model')");
    const [address, spend] = [page.url(), await reader.text("[role=region][aria-label='Spend']")];
    const other = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
    await other.goto(await consoleLink());
    await other.goto(address);
    expect(await new Reader(other).text("[role=region][aria-label='Spend']")).toBe(spend);
    expect(spend).toContain("claude-opus-4-1");
    await other.context().close();
  });

  test("a weekly digest", async () => {
    const reader = await begin();
    await reader.click("a:text-is('Report')");
    await reader.click("a:text-is('By mail')");
    await page.fill("#name", "weekly");
    await page.selectOption("#every", "week");
    await page.fill("#at", "09:00");
    await reader.click("form.form button.primary");
    expect(await reader.text("tbody tr:has-text('weekly')")).toContain("09:00 UTC");
    expect(await api("digests/weekly")).toMatchObject({ every: "week", at: "09:00" });
  });
});
