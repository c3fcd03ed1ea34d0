import type { Browser } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { OPERATOR_PAGES } from "../../../src/web/operator/routes.ts";
import { findings, lowContrast } from "../../support/accessibility.ts";
import { chromiumIsMissing, launch, MISSING_NOTE } from "../../support/chromium.ts";
import { call, newOrg, sharedServer, type SystemOrg } from "../../support/server.ts";

describe.skipIf(chromiumIsMissing)(`the operator console in Chromium${MISSING_NOTE}`, () => {
  const { urls, operatorKey: key } = sharedServer();
  const [base] = urls;
  let browser: Browser;
  let org: SystemOrg;

  beforeAll(async () => {
    org = await newOrg({ name: "Hooli Aviation" });
    const grant = { scope: "read_only", reason: "Ticket 4411.", expires_in_seconds: 7200 };
    await call("POST", `/v1/orgs/${org.id}/support-grants`, { key: org.ownerKey, body: grant });
    browser = await launch();
    return () => browser.close();
  });

  test("an operator signs in, finds an org, suspends and resumes it and enters it, without scripts", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${base}/operator/plans`);
    await page.fill("#key", key);
    await page.click("button:has-text('Sign in')");
    expect(page.url()).toBe(`${base}/operator`);
    expect(JSON.stringify(await context.cookies())).not.toContain(key);
    await page.fill("input[name=q]", "aviation");
    await page.click("button:has-text('Search')");
    await page.click("td a:has-text('Hooli Aviation')");
    await page.click("button:has-text('Suspend')");
    await page.click("button.solid:has-text('Suspend')");
    expect(await page.locator("main").innerText()).toContain("suspended");
    await page.click("button:has-text('Resume')");
    expect(await page.locator("main").innerText()).not.toContain("suspended");
    await page.click("button:has-text('Enter')");
    expect([page.url(), await page.locator("main").innerText()]).toEqual([
      `${base}/console`,
      expect.stringContaining("Support has access."),
    ]);
    await page.click("button:has-text('Sign out')");
    expect(page.url()).toBe(`${base}/operator`);
    await context.close();
  });

  test("no page has a finding, violates its own policy, or is wider than a phone", async () => {
    const page = await (await browser.newContext()).newPage();
    const complaints: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    const look = async (path: string) => {
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.goto(base + path);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        const found = await (colorScheme === "dark" ? lowContrast(page) : findings(page));
        expect([path, colorScheme, found]).toEqual([path, colorScheme, []]);
      }
      await page.setViewportSize({ width: 390, height: 844 });
      expect([path, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([path, 390]);
    };
    await look("/operator/login");
    await page.fill("#key", key);
    await page.click("button:has-text('Sign in')");
    for (const [, path] of OPERATOR_PAGES.filter(([method]) => method === "GET")) {
      await look(path.replace(":id", org.id));
    }
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
