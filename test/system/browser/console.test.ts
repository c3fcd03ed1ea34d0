import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { chromiumIsMissing, launch, MISSING_NOTE, seriousFindings } from "../../support/chromium.ts";
import { type Caller, callerAt, type ServerFixture, serverFixture } from "../../support/server.ts";
import { seedOrg } from "./seed.ts";

/** The console as a person uses it. Set SLUICE_SCREENSHOTS to a folder to see what the tests saw. */

const SHOTS = process.env["SLUICE_SCREENSHOTS"];
const PATHS = [
  "",
  "/runs",
  "/budgets",
  "/budgets/new",
  "/limits",
  "/policies",
  "/policies/new",
  "/approvals",
  "/keys",
  "/keys/new",
  "/webhooks",
  "/webhooks/new",
  "/deprecations",
  "/audit?verify=yes",
  "/people",
  "/support",
];

describe.skipIf(chromiumIsMissing)(`the console in Chromium${MISSING_NOTE}`, () => {
  let fixture: ServerFixture;
  let browser: Browser;
  let base: string;
  let call: Caller;
  let org: { id: string; key: string };
  let operator: string;

  beforeAll(async () => {
    fixture = await serverFixture();
    base = fixture.server.urls[0];
    call = callerAt(base);
    operator = fixture.server.settings["SVC_OPERATOR_KEY"] ?? "";
    org = await seedOrg(call, operator);
    browser = await launch();
    return async () => {
      await browser.close();
      await fixture.end();
    };
  });

  const link = (orgId: string) => `${base}/console/enter?org=${orgId}&token=${fixture.server.signInSecret}`;

  test("with scripts off, a person signs in, is refused, corrects, creates, mints, approves, and is signed out", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(link(org.id));
    expect(await page.locator("h1").innerText()).toBe("Overview");
    expect(await page.locator(".banner").innerText()).toContain("Support is inside.");

    await page.goto(`${base}/console/budgets/new`);
    await page.fill("#name", "Interns");
    await page.fill("#limit_usd", "ten dollars");
    const refused = page.waitForResponse((answer) => answer.request().method() === "POST");
    await page.click("text=Create budget");
    expect((await refused).status()).toBe(422);
    expect(await page.locator("#limit_usd-error").innerText()).toContain("must be");
    expect(await page.inputValue("#name")).toBe("Interns");
    await page.fill("#limit_usd", "10.00");
    await page.click("text=Create budget");
    expect(await page.locator(".notice").innerText()).toBe("Created.");
    expect(await page.locator("table").innerText()).toContain("Interns");

    await page.goto(`${base}/console/keys/new`);
    await page.fill("#name", "Proxy");
    await page.click("button:has-text('Mint key')");
    const key = await page.locator(".secret code").innerText();
    expect((await call("GET", `/v1/orgs/${org.id}`, { key })).status).toBe(200);
    await page.goto(`${base}/console/keys`);
    expect(await page.content()).not.toContain(key);

    await page.goto(`${base}/console/approvals`);
    await page.click("button:has-text('Approve')");
    expect(await page.locator(".notice").innerText()).toContain("Approved.");

    await page.goto(`${base}/console/people`);
    const over = page.waitForResponse((answer) => answer.status() === 401);
    await page.click("tr:has-text('you') button:has-text('Revoke')");
    await over;
    await page.waitForSelector("h1:has-text('Signed out')");
    expect(await context.cookies()).toEqual([]);
    await context.close();
  });

  test("no page has a serious finding, breaks its own policy, or is wider than a phone", async () => {
    const other = await seedOrg(call, operator);
    const context = await browser.newContext();
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    await page.goto(link(other.id));
    for (const path of [...PATHS, ...(await detailPages(page))]) {
      await look(page, `/console${path}`);
    }
    expect(complaints).toEqual([]);
    await context.close();
  }, 300_000);

  test("the pages of a new org tell what to do first, and the ways in are as sound as the rest", async () => {
    const made = await call("POST", "/v1/admin/orgs", { key: operator, body: { name: "New" } });
    const context = await browser.newContext();
    const page = await context.newPage();
    await look(page, "/console/login");
    await look(page, `/console/login?org=${made.body.org.id}`);
    await page.goto(link(made.body.org.id));
    expect(await page.locator("main").innerText()).toContain("First steps");
    for (const path of ["", "/runs", "/budgets", "/policies", "/approvals", "/webhooks", "/support"]) {
      await look(page, `/console${path}`, "new");
    }
    await context.close();
  }, 300_000);

  async function detailPages(page: Page): Promise<string[]> {
    const found: string[] = [];
    for (const list of ["/runs", "/budgets", "/policies", "/webhooks"]) {
      await page.goto(`${base}/console${list}`);
      const href = await page.locator(`td a[href^="/console${list}/"]`).first().getAttribute("href");
      found.push(href?.replace("/console", "") ?? "");
    }
    return found;
  }

  async function look(page: Page, path: string, kind = "seeded"): Promise<void> {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.goto(base + path);
      expect([path, colorScheme, await seriousFindings(page)]).toEqual([path, colorScheme, []]);
      await shoot(page, `${kind}-${colorScheme}-wide`, path);
      if (colorScheme === "dark" && SHOTS === undefined) continue;
      await page.setViewportSize({ width: 390, height: 844 });
      expect([path, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([path, 390]);
      await shoot(page, `${kind}-${colorScheme}-phone`, path);
    }
  }

  async function shoot(page: Page, kind: string, path: string): Promise<void> {
    if (SHOTS === undefined) return;
    mkdirSync(SHOTS, { recursive: true });
    const name = path
      .replace(/\?.*/, "")
      .replaceAll("/", "_")
      .replace(/_(\w+)_\w{20,}$/, "_$1_one");
    await page.screenshot({ path: join(SHOTS, `${name}-${kind}.png`), fullPage: true });
  }
});
