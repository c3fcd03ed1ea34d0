import type { Browser, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { findings, lowContrast } from "../../support/accessibility.ts";
import { chromiumIsMissing, launch, MISSING_NOTE } from "../../support/chromium.ts";
import { call, newOrg, sharedServer, type SystemOrg } from "../../support/server.ts";

/** How an owner gets into the console, with scripts switched off. */

describe.skipIf(chromiumIsMissing)(`the way into the console in Chromium${MISSING_NOTE}`, () => {
  let browser: Browser;
  const base = sharedServer().urls[0];
  let org: SystemOrg;

  beforeAll(async () => {
    org = await newOrg();
    browser = await launch();
    return () => browser.close();
  });

  async function newPage(): Promise<Page> {
    return (await browser.newContext({ javaScriptEnabled: false })).newPage();
  }

  const headline = (page: Page) => page.locator("h1").innerText();

  test("an owner with nothing but a key signs in, from the root", async () => {
    const page = await newPage();
    await page.goto(`${base}/`);
    expect(await headline(page)).toBe("Sign in");
    await page.fill("#key", "svc_live_wrong");
    await page.click("button:has-text('Sign in')");
    expect(await page.locator("#key-error").innerText()).toContain("not a valid API key");
    await page.fill("#key", org.ownerKey);
    await page.click("button:has-text('Sign in')");
    expect(await headline(page)).toBe("Overview");
    expect(page.url()).toBe(`${base}/console`);
    const cookies = await page.context().cookies();
    expect(JSON.stringify(cookies)).not.toContain(org.ownerKey.slice(-20));
  });

  test("a link signs in, and is gone from the address", async () => {
    const page = await newPage();
    const made = await call("POST", `/v1/orgs/${org.id}/console-links`, { key: org.ownerKey });
    await page.goto(made.body.url);
    expect([await headline(page), page.url()]).toEqual(["Overview", `${base}/console`]);
    await page.goto(made.body.url);
    expect(await headline(page)).toBe("Not signed in");
  });

  test("a session that ended leads back to the page it was on", async () => {
    const page = await newPage();
    const made = await call("POST", `/v1/orgs/${org.id}/console-links`, { key: org.ownerKey });
    await page.goto(made.body.url);
    const listed = await call("GET", `/v1/orgs/${org.id}/sessions`, { key: org.ownerKey });
    for (const { id } of listed.body.data) {
      await call("DELETE", `/v1/orgs/${org.id}/sessions/${id}`, { key: org.ownerKey });
    }
    await page.goto(`${base}/console/keys`);
    expect(await headline(page)).toBe("Signed out");
    await page.click("main a:has-text('Sign in')");
    await page.fill("#key", org.ownerKey);
    await page.click("button:has-text('Sign in')");
    expect([await headline(page), page.url()]).toEqual(["Keys", `${base}/console/keys`]);
  });

  test("its pages have no finding, in both schemes and on a phone", async () => {
    const page = await (await browser.newContext()).newPage();
    await page.setViewportSize({ width: 390, height: 844 });
    for (const path of ["/console/login", `/console/login?org=${org.id}`, "/console/enter?link=x"]) {
      await page.goto(base + path);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        const found = await (colorScheme === "dark" ? lowContrast(page) : findings(page));
        expect([path, colorScheme, found]).toEqual([path, colorScheme, []]);
        expect([path, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([path, 390]);
      }
    }
  });
});
