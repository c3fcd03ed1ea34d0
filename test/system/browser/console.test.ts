import type { Browser, BrowserContext, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { chromiumIsMissing, launch, MISSING_NOTE } from "../../support/chromium.ts";
import { call, consoleLink, sharedServer } from "../../support/server.ts";
import { seedOrg } from "./seed.ts";

/** The console as a person uses it, with scripts switched off. */

describe.skipIf(chromiumIsMissing)(`the console in Chromium${MISSING_NOTE}`, () => {
  let browser: Browser;
  const base = sharedServer().urls[0];
  let org: Awaited<ReturnType<typeof seedOrg>>;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    org = await seedOrg(call, sharedServer().operatorKey);
    browser = await launch();
    context = await browser.newContext({ javaScriptEnabled: false });
    page = await context.newPage();
    return () => browser.close();
  });

  const open = (path: string) => page.goto(`${base}/console${path}`);
  const headline = () => page.locator("h1").innerText();
  const notice = () => page.locator(".notice").innerText();

  /** What cannot be undone asks for confirmation. */
  async function confirm(button: string): Promise<void> {
    await page.click(button);
    await page.click(".ask:popover-open button[type=submit]");
  }

  async function answerTo(act: Promise<void>): Promise<number> {
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.request().method() === "POST"),
      act,
    ]);
    return answer.status();
  }

  test("the link signs in, and the overview says that support has access", async () => {
    await page.goto(await consoleLink(org.id, org.key));
    expect(await headline()).toBe("Overview");
    expect(await page.locator(".banner").innerText()).toContain("Support has access.");
  });

  test("an invalid budget is refused next to the wrong field, keeps the input, and is then created", async () => {
    await open("/budgets");
    await page.click("text=New budget");
    await page.fill("#name", "Interns");
    await page.fill("#limit_usd", "ten dollars");
    expect(await answerTo(page.click("text=Create budget"))).toBe(422);
    expect(await page.locator("#limit_usd-error").innerText()).toContain("must be");
    expect(await page.locator("[role=alert] a[href='#limit_usd']").count()).toBe(1);
    expect(await page.inputValue("#name")).toBe("Interns");
    await page.fill("#limit_usd", "$10.00");
    await page.click("text=Create budget");
    // It applies to every call, so it is asked once more.
    await page.click("text=Yes, create budget");
    expect(await notice()).toBe("Created.");
    await page.click("td a:text-is('Interns')");
    // A budget that exists is changed in its own unit.
    expect(await page.inputValue("#limit")).toBe("10.00");
    await page.fill("#limit", "twelve");
    expect(await answerTo(page.click("text=Save"))).toBe(422);
    expect(await page.locator("#limit-error").innerText()).toContain("must be");
    await page.fill("#limit", "12.50");
    await page.click("text=Save");
    expect(await notice()).toBe("Saved.");
    expect(await page.locator(".facts").innerText()).toContain("$12.50");
    await confirm("button:has-text('Delete')");
    expect(await notice()).toBe("Deleted.");
    expect(await page.locator("table").innerText()).not.toContain("Interns");
  });

  test("a refusal without a field is explained, and changes nothing", async () => {
    await open("/customer-limits/new");
    await page.fill("#customer_id", "globex");
    await page.fill("#limit_usd", "1");
    expect(await answerTo(page.click("text=Set the limit"))).toBe(409);
    expect(await page.locator("[role=alert]").innerText()).not.toBe("");
    const limits = await call("GET", `/v1/orgs/${org.id}/customer-limits?customer_id=globex`, {
      key: org.key,
    });
    expect(limits.body.data[0].limit_usd).toBe("150.00");
  });

  test("a key is created, shown once, works, and stops working when revoked", async () => {
    await open("/keys/new");
    await page.fill("#name", "Proxy");
    await page.click("button:has-text('Create key')");
    const key = await page.locator(".secret code").innerText();
    const read = () => call("GET", `/v1/orgs/${org.id}`, { key });
    expect((await read()).status).toBe(200);
    await open("/keys");
    expect(await page.content()).not.toContain(key);
    await confirm("button[aria-label='Revoke Proxy']");
    expect(await notice()).toContain("Revoked.");
    expect((await read()).status).toBe(410);
  });

  test("an attempt held by a policy is approved, and then allowed once", async () => {
    const body = { cap_usd: "5000" };
    await call("PUT", `/v1/orgs/${org.id}/spend-cap`, { key: org.key, body });
    await open("/approvals");
    await page.click("button:has-text('Approve')");
    expect(await notice()).toContain("Approved.");
    const attempt = () => call("POST", "/v1/runs", { key: org.key, body: org.held });
    expect((await attempt()).status).toBe(201);
    const { id: _id, ...again } = org.held;
    expect((await call("POST", "/v1/runs", { key: org.key, body: again })).status).toBe(403);
  });

  test("credits are granted and voided, and a price, a cap and a detector are set", async () => {
    await open("/packs/new");
    await page.fill("#customer_id", "hooli");
    await page.fill("#amount_usd", "20");
    await page.click("button:has-text('Grant credits')");
    expect(await page.locator("table").innerText()).toContain("hooli");
    await confirm("button[aria-label='Void hooli']");
    expect(await notice()).toBe("Voided.");
    await open("/models/acme%2Fopus-4");
    await page.fill("#input_usd_per_mtok", "14");
    await page.click("text=Save");
    expect(await page.locator(".facts").innerText()).toContain("$14.00");
    await open("/limits");
    await page.fill("#spend-cap-cap_usd", "5000");
    await page.click("text=Save cap");
    expect(await page.inputValue("#spend-cap-cap_usd")).toBe("5000.00");
    await open("/safety");
    await page.selectOption("#detectors-builtin-email", "block");
    await page.click("text=Save detectors");
    expect(await page.inputValue("#detectors-builtin-email")).toBe("block");
  });

  test("on a phone the menu opens and reaches every page", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await open("");
    expect(await page.locator("#nav a").first().isVisible()).toBe(false);
    await page.click("text=Menu");
    await page.click("#nav a:has-text('Rules')");
    await page.click(".subnav a:has-text('Content safety')");
    expect(await headline()).toBe("Content safety");
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  test("on paper a page is its figures and tables, and nothing to click", async () => {
    await open("/budgets");
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    for (const part of [".side", ".search", ".filters", ".head .actions"]) {
      expect([part, await page.locator(part).first().isVisible()]).toEqual([part, false]);
    }
    expect(await page.locator("table").isVisible()).toBe(true);
    const ground = await page.locator("table").evaluate((table) => getComputedStyle(table).color);
    expect(ground).toBe("rgb(20, 32, 31)");
    await page.emulateMedia({ media: "screen", colorScheme: "light" });
  });

  test("a revoked session is signed out and loses its cookie", async () => {
    await open("/people");
    const over = page.waitForResponse((answer) => answer.status() === 401);
    await confirm("tr:has-text('you') button:has-text('Revoke')");
    await over;
    expect(await headline()).toBe("Signed out");
    expect(await page.locator("code").innerText()).toBe("session_revoked");
    expect(await context.cookies()).toEqual([]);
  });
});
