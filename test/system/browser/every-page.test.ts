import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { PAGES } from "../../../src/web/console/pages/routes.ts";
import { findings, lowContrast } from "../../support/accessibility.ts";
import { chromiumIsMissing, launch, MISSING_NOTE } from "../../support/chromium.ts";
import { call, consoleLink, newOrg, sharedServer } from "../../support/server.ts";
import { seedOrg } from "./seed.ts";
import { untidy } from "./untidy.ts";

/** Checks every page. Set SLUICE_SCREENSHOTS to a folder to see what the tests saw. */

const SHOTS = process.env["SLUICE_SCREENSHOTS"];
const WIDE = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
/** Of the pages of a new org, which differ from the others by what they say where a list is empty. */
const OF_EMPTY_PAGES = 4;
/** A list comes before its items. */
const depthOf = (route: string): number => route.split("/:").length;
const READ = PAGES.filter(([method]) => method === "GET").map(([, path]) => path);

describe.skipIf(chromiumIsMissing)(`every page of the console in Chromium${MISSING_NOTE}`, () => {
  const base = sharedServer().urls[0];
  let browser: Browser;
  let seeded: Awaited<ReturnType<typeof seedOrg>>;

  beforeAll(async () => {
    seeded = await seedOrg(call, sharedServer().operatorKey);
    browser = await launch();
    return () => browser.close();
  });

  test("no page has a finding, violates its own policy, or is wider than a phone", async () => {
    const page = await (await browser.newContext()).newPage();
    const complaints: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    await page.goto(await consoleLink(seeded.id, seeded.key));
    const links: string[] = [];
    for (const route of READ.toSorted((one, other) => depthOf(one) - depthOf(other))) {
      await look(page, concrete(route, links));
      const listed = page.locator("td a[href^='/console/']");
      links.push(...(await listed.evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""))));
    }
    for (const path of [
      "/console/audit?verify=yes",
      "/console?range=custom&from=x&to=y&by=tag",
      "/console/explain?estimate.cost_usd=999&workflow_id=triage&checks=all",
      "/console/search?q=nothing",
      "/console/search?q=a",
    ]) {
      await look(page, path);
    }
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test("the pages of a new org explain what to do first, and the sign-in pages are as accessible as the rest", async () => {
    const org = await newOrg({ name: "New" });
    const page = await (await browser.newContext()).newPage();
    await look(page, "/console/login");
    await look(page, `/console/login?org=${org.id}`);
    await page.goto(await consoleLink(org.id, org.ownerKey));
    expect(await page.locator("main").innerText()).toContain("First steps");
    const empty = READ.filter((path) => !path.includes(":") && !path.endsWith("/new"));
    for (const [index, route] of empty.entries()) {
      if (index % OF_EMPTY_PAGES === 0) {
        await look(page, route, "new");
      } else {
        await page.goto(base + route);
        await onPhone(page, route, "new-dark");
      }
    }
    await page.context().close();
  });

  test("a confirmation, a refusal and an open menu are as accessible as the pages below them", async () => {
    const page = await (await browser.newContext()).newPage();
    await page.goto(await consoleLink(seeded.id, seeded.key));
    await page.goto(`${base}/console/keys`);
    await page.click("button:has-text('Revoke')");
    expect(await inspect(page, "asked")).toEqual([]);
    await page.goto(`${base}/console/budgets/new`);
    await page.click("text=Create budget");
    expect(await inspect(page, "refused-field")).toEqual([]);
    await page.goto(`${base}/console/budgets/bud_none`);
    expect(await inspect(page, "refused-page")).toEqual([]);
    await page.setViewportSize(PHONE);
    await page.goto(`${base}/console`);
    await page.click("text=Menu");
    expect(await inspect(page, "menu")).toEqual([]);
    await page.context().close();
  });

  test("the navigation fits a window of 900 pixels, whatever the organization is called, open and folded", async () => {
    const name = "Organization with a name that goes on and on ".repeat(4) + "x".repeat(19);
    const org = await newOrg({ name });
    const page = await (await browser.newContext({ viewport: WIDE })).newPage();
    await page.goto(await consoleLink(org.id, org.ownerKey));
    const fits = async () => {
      const nav = await page
        .locator("#nav")
        .evaluate(({ scrollHeight, clientHeight }) => [scrollHeight, clientHeight]);
      const side = (await page.locator(".side").boundingBox())?.width ?? 0;
      const widths = await page
        .locator(".side :is(a, button, strong, span)")
        .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().right));
      expect(nav[0]).toBe(nav[1]);
      expect(Math.max(...widths)).toBeLessThanOrEqual(side);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(WIDE.width);
      return side;
    };
    const open = await fits();
    expect(await inspect(page, "open")).toEqual([]);
    await page.click(".fold button");
    expect(await fits()).toBeLessThan(open / 2);
    expect(await inspect(page, "folded")).toEqual([]);
    await page.setViewportSize(PHONE);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(PHONE.width);
    await page.context().close();
  });

  test("a navigation that goes on below its end shows a shade there, and none at its end", async () => {
    const org = await newOrg({ name: "Low" });
    const page = await (await browser.newContext({ viewport: { width: 1280, height: 400 } })).newPage();
    await page.goto(await consoleLink(org.id, org.ownerKey));
    const nav = page.locator("#nav");
    const box = await nav.boundingBox();
    if (box === null) throw new Error("there is no navigation");
    // A strip above the lower edge, left of the names of pages.
    const strip = { x: box.x + 1, y: box.y + box.height - 8, width: 4, height: 8 };
    const atTop = await page.screenshot({ clip: strip });
    await nav.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    expect(atTop.equals(await page.screenshot({ clip: strip }))).toBe(false);
    expect(await page.locator("#nav a[href='/console/settings']").isVisible()).toBe(true);
    await page.context().close();
  });

  test("a fault is found on a page that looks like the others, in both color schemes", async () => {
    const org = await newOrg({ name: "Planted" });
    const page = await (await browser.newContext()).newPage();
    await page.goto(await consoleLink(org.id, org.ownerKey));
    await page.goto(`${base}/console/keys/new`);
    for (const [colorScheme, where, style] of [
      ["light", "one", "color: rgb(150, 160, 158)"],
      ["dark", "one", "color: rgb(90, 100, 100)"],
      ["dark", "one", "background: rgb(200, 210, 208)"],
      ["dark", "one.parentElement", "background: white"],
      ["dark", "one", "opacity: 0.3"],
      ["dark", "[...document.querySelectorAll('main label')].at(-1)", "color: rgb(90, 100, 100)"],
    ] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      expect(await lowContrast(page)).toEqual([]);
      const plant = (text: string) =>
        page.evaluate(`{ const one = document.querySelector("h1"); ${where}.style.cssText = "${text}"; }`);
      await plant(style);
      expect([style, (await lowContrast(page)).join()]).toEqual([style, expect.stringContaining("contrast")]);
      await plant("");
    }
    const inFrame = `{
      const link = document.querySelector("#nav a");
      link.removeAttribute("title");
      link.textContent = "";
    }`;
    const inMain = `{
      const field = document.querySelector("main #name");
      for (const name of field.getAttributeNames()) if (/^(aria-|placeholder|title)/.test(name)) field.removeAttribute(name);
      for (const label of [...field.labels]) label.remove();
    }`;
    for (const [rule, plant] of [
      ["link-name", inFrame],
      ["label", inMain],
    ] as const) {
      await page.goto(`${base}/console/keys/new`);
      expect(await findings(page)).toEqual([]);
      await page.evaluate(plant);
      expect(await findings(page)).toEqual([expect.stringMatching(`^${rule}: `)]);
    }
    await page.context().close();
  });

  async function inspect(page: Page, name: string): Promise<string[]> {
    const found: string[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      found.push(...(await (colorScheme === "light" ? findings(page) : lowContrast(page))));
      await shoot(page, `state_${name}-${colorScheme}`);
    }
    return found;
  }

  /** The page of an item is checked for the first item that a page before it links to. */
  function concrete(route: string, links: readonly string[]): string {
    const [start = "", ...rest] = route.split(/\/:\w+/);
    return rest.reduce((path, after) => `${links.find((to) => to.startsWith(`${path}/`))}${after}`, start);
  }

  type Step = readonly [colorScheme: "light" | "dark", size: typeof WIDE, check: Check];
  type Check = (page: Page, path: string, kind: string) => Promise<void>;

  /**
   * Each color scheme, and each width. Colors change nothing of the layout, and the width nothing of the colors. Every other
   * page is looked at in reverse, because each change is drawn.
   */
  const steps: Step[] = [
    ["dark", PHONE, (page, path, kind) => onPhone(page, path, `${kind}-dark`)],
    [
      "dark",
      WIDE,
      async (page, path, kind) => {
        expect([path, "dark", await lowContrast(page)]).toEqual([path, "dark", []]);
        await shoot(page, `${nameOf(path)}-${kind}-dark-wide`);
      },
    ],
    [
      "light",
      WIDE,
      async (page, path, kind) => {
        expect([path, "light", await findings(page)]).toEqual([path, "light", []]);
        await tidy(page, `${nameOf(path)}-${kind}-light-wide`);
      },
    ],
  ];

  async function look(page: Page, path: string, kind = "seeded"): Promise<void> {
    for (const [index, [colorScheme, size, check]] of steps.reverse().entries()) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize(size);
      if (index === 0) await page.goto(base + path);
      await check(page, path, kind);
    }
  }

  async function onPhone(page: Page, path: string, kind: string): Promise<void> {
    await page.setViewportSize(PHONE);
    const width = await page.evaluate("document.documentElement.scrollWidth");
    expect([path, width]).toEqual([path, PHONE.width]);
    await tidy(page, `${nameOf(path)}-${kind}-phone`);
  }

  function nameOf(path: string): string {
    return path
      .replace(/\?.*/, "")
      .replaceAll("/", "_")
      .replace(/_(\w+)_\w{20,}$/, "_$1_one");
  }

  async function tidy(page: Page, name: string): Promise<void> {
    expect([name, page.url(), await untidy(page)]).toEqual([name, page.url(), []]);
    await shoot(page, name);
  }

  async function shoot(page: Page, name: string): Promise<void> {
    if (SHOTS === undefined) return;
    mkdirSync(SHOTS, { recursive: true });
    await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true });
  }
});
