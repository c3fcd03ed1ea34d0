import type { Browser, Page, Route } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { GUIDES } from "../../../scripts/reference/guides.ts";
import { findings, lowContrast } from "../../support/accessibility.ts";
import { chromiumIsMissing, launch, MISSING_NOTE } from "../../support/chromium.ts";
import { call, sharedServer } from "../../support/server.ts";

/** How many things on the page are fading in or out: half-seen text has no contrast of its own. */
const MOVING = `document.getAnimations().filter(({ playState, effect }) =>
  playState === "running" && effect.getComputedTiming().endTime !== Infinity).length`;

const TEST_REQUEST = "Test Request (post /v1/edge/decision)";

/** All operations would be shown in the same way, and take most of a minute. The plain reference lists each of them. */
async function withFewPaths(route: Route): Promise<void> {
  const response = await route.fetch();
  const document = (await response.json()) as { paths: object };
  const paths = Object.entries(document.paths).filter(([path]) => /^\/v1\/(edge\/decision|runs)$/.test(path));
  await route.fulfill({ response, json: { ...document, paths: Object.fromEntries(paths) } });
}

describe.skipIf(chromiumIsMissing)(`the reference and the guides in Chromium${MISSING_NOTE}`, () => {
  const base = sharedServer().urls[0];
  let browser: Browser;

  beforeAll(async () => {
    browser = await launch();
    return () => browser.close();
  });

  /** What the page asked of others, and what it complained about. */
  function watch(page: Page): string[] {
    const seen: string[] = [];
    page.on("request", (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(`${base}/`))
        seen.push(request.url());
    });
    page.on("pageerror", (error) => seen.push(error.message));
    page.on("console", (message) => {
      if (/Content Security Policy|Refused to/.test(message.text())) seen.push(message.text());
    });
    return seen;
  }

  async function inspect(page: Page, what: string): Promise<void> {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await expect.poll(() => page.evaluate(MOVING)).toBe(0);
      const found = await (colorScheme === "dark" ? lowContrast(page) : findings(page));
      expect([what, colorScheme, found]).toEqual([what, colorScheme, []]);
    }
  }

  async function check(page: Page, path: string): Promise<void> {
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    await page.setViewportSize({ width: 1280, height: 900 });
    // The checker passes over what is folded away, which is most of the page.
    await remove(page, "details:not([open]) > :not(summary)");
    await inspect(page, path);
  }

  async function remove(page: Page, selector: string): Promise<void> {
    await page.evaluate(`document.querySelectorAll("${selector}").forEach((element) => element.remove())`);
  }

  describe("the reference", () => {
    let page: Page;
    let seen: string[];
    const loaded: string[] = [];

    beforeAll(async () => {
      page = await (await browser.newContext()).newPage();
      seen = watch(page);
      page.on("request", (request) => loaded.push(request.url().replace(base, "")));
      await page.route("**/docs/openapi.json", withFewPaths);
      await page.goto(`${base}/docs/interactive`);
      return () => page.context().close();
    });

    test("it has a sidebar that begins with decisions, and three languages", async () => {
      const sidebar = page.locator("#reference aside, #reference nav").first();
      await sidebar.waitFor();
      await expect.poll(() => sidebar.innerText()).toMatch(/Decide and record[^]*Decisions[^]*Runs/);
      expect(await page.locator("#plain").isVisible()).toBe(false);
      // It is checked by itself, and is large.
      await remove(page, "#plain");
      await sidebar.getByText("Decisions", { exact: true }).first().click();
      await sidebar.getByText("Decide whether a run may go ahead").first().click();
      await page.getByRole("button", { name: TEST_REQUEST }).waitFor();
      const cut = `[...document.querySelectorAll(".endpoint-path")].filter((one) => one.scrollWidth > one.clientWidth + 1).length`;
      await expect.poll(() => page.evaluate(cut)).toBe(0);
      await check(page, "/docs#decision");
      await expect.poll(() => page.locator("#reference main").innerText()).toContain("curl");
      const samples = (await call("GET", "/v1/openapi.json")).body.paths["/v1/edge/decision"].post[
        "x-codeSamples"
      ];
      expect(samples.map(({ label }: { label: string }) => label)).toEqual(["curl", "TypeScript", "Python"]);
    });

    test("the client that it opens really makes a call, and the page below is out of reach", async () => {
      await page.getByRole("button", { name: TEST_REQUEST }).click();
      const sent = page.getByRole("button", { name: /^Send Request/ });
      await sent.waitFor();
      const below = page.locator("#reference main.references-rendered");
      const isInert = () => below.evaluate((main) => Reflect.get(main, "inert"));
      const bar = page.locator("#bar a").first();
      await expect.poll(isInert).toBe(true);
      await bar.waitFor({ state: "hidden" });
      await remove(page, "main.references-rendered > *, #reference aside ul");
      await inspect(page, "the client");
      const answered = page.waitForResponse((response) => response.url() === `${base}/v1/edge/decision`);
      await sent.click();
      expect((await answered).status()).toBe(401);
      await page.keyboard.press("Escape");
      await sent.waitFor({ state: "hidden" });
      await expect.poll(isInert).toBe(false);
      await bar.waitFor();
      expect(seen).toEqual([]);
    });

    test("the search is as accessible", async () => {
      await remove(page, ".scalar-client > *");
      await page.keyboard.press("Control+k");
      await page.locator("[role=dialog][aria-label=Search] input").waitFor();
      await inspect(page, "the search");
      expect(seen).toEqual([]);
    });

    test("what makes calls is loaded where it is asked for, and then kept", async () => {
      const isScalar = (path: string) => path.includes("/scalar-");
      await expect.poll(() => loaded.find(isScalar)).toBeDefined();
      const kept = await fetch(base + (loaded.find(isScalar) ?? ""));
      expect(kept.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      const first = await fetch(`${base}/docs/openapi.json`);
      const headers = { "if-none-match": first.headers.get("etag") ?? "" };
      const again = await fetch(`${base}/docs/openapi.json`, { headers });
      expect([first.status, again.status]).toEqual([200, 304]);
    });
  });

  test.each(["/docs", "/docs/plain"])(
    "a visit of %s takes less than a second of the main thread",
    async (path) => {
      const context = await browser.newContext();
      const page = await context.newPage();
      const loaded: string[] = [];
      page.on("request", (request) => loaded.push(request.url()));
      const devtools = await context.newCDPSession(page);
      // The thread's own time: a busy machine does not count.
      await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
      await page.goto(base + path, { waitUntil: "load" });
      await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))");
      const { metrics } = await devtools.send("Performance.getMetrics");
      const seconds = metrics.find(({ name }) => name === "TaskDuration")?.value ?? Infinity;
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThan(1);
      expect(loaded.join()).not.toContain("scalar");
      await context.close();
    },
  );

  test("without scripts, the reference lists every operation, error and deprecation", async () => {
    const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
    for (const [path, each] of [
      ["/docs", ".operations a"],
      ["/docs/plain", "#plain details"],
    ] as const) {
      await page.goto(base + path);
      expect(await page.locator(each).count()).toBeGreaterThan(150);
      expect(await page.locator("#plain").innerText()).toContain("spend_cap_exceeded");
    }
    await page.goto(`${base}/docs`);
    const to = (await page.locator(".operations a").first().getAttribute("href")) ?? "";
    await page.goto(base + to);
    expect(await page.locator(`[id="${to.replace(/^.*?#/, "")}"]`).count()).toBe(1);
    await page.context().close();
  });

  test("a visit is small, and code is copied", async () => {
    const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
    const page = await context.newPage();
    const loaded: string[] = [];
    page.on("request", (request) => loaded.push(request.url().replace(base, "")));
    await page.goto(`${base}/docs`, { waitUntil: "networkidle" });
    expect(loaded.filter((path) => /scalar|openapi/.test(path))).toEqual([]);
    expect(await page.evaluate("document.querySelectorAll('*').length")).toBeLessThan(4000);
    await page.locator(".copied button").first().click();
    const copied = String(await page.evaluate("navigator.clipboard.readText()"));
    expect(copied).toMatch(/^curl -i http[^]*\/v1\/edge\/decision/);
    await context.close();
  });

  test("guides and the plain reference are accessible, and load nothing from elsewhere", async () => {
    const page = await (await browser.newContext()).newPage();
    const seen = watch(page);
    for (const path of [
      "/docs",
      "/docs/plain",
      "/docs/guides",
      "/docs/guides?q=budget",
      "/docs/guides/architecture",
      "/docs/guides/console",
    ]) {
      await page.goto(base + path);
      const unseen = await page.evaluate(
        "[...document.images].filter((one) => one.complete && one.naturalWidth === 0).length",
      );
      expect([path, unseen]).toEqual([path, 0]);
      await check(page, path);
    }
    expect(seen).toEqual([]);
    await page.context().close();
  });

  test("guides are searched, without scripts, from the reference and from every guide", async () => {
    const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
    for (const path of ["/docs", "/docs/guides/quickstart"]) {
      await page.goto(base + path);
      await page.fill("input[name=q]", "legal hold");
      await page.press("input[name=q]", "Enter");
      await page.waitForURL(`${base}/docs/guides?q=legal+hold`);
    }
    const first = page.locator(".found a").first();
    const to = (await first.getAttribute("href")) ?? "";
    await first.click();
    await page.waitForURL(base + to);
    expect(await page.locator(`[id="${to.replace(/.*#/, "")}"]`).count()).toBe(1);
    await page.goto(`${base}/docs/guides?q=${encodeURIComponent('<img src=x onerror="1"> $&')}`);
    expect(await page.locator("main").innerText()).toContain('No guide has “<img src=x onerror="1"> $&”.');
    expect(await page.locator("main img").count()).toBe(0);
    await page.context().close();
  });

  test("a guide begins with its text on a phone, and with the list beside it elsewhere", async () => {
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${base}/docs/guides/limits`);
    const top = async (selector: string) => (await page.locator(selector).boundingBox())?.y ?? Infinity;
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await top("main h1")).toBeLessThan(200);
    expect(await top("nav[aria-label=Guides] ul")).toBeGreaterThan(844);
    await page.setViewportSize({ width: 1280, height: 900 });
    expect(await top("nav[aria-label=Guides] ul")).toBeLessThan(200);
    await page.context().close();
  });

  test("every guide is served, links only to what is served, and carries a strict policy", async () => {
    const links = new Set<string>();
    for (const { name } of GUIDES) {
      const answer = await fetch(`${base}/docs/guides/${name}`);
      expect([name, answer.status]).toEqual([name, 200]);
      expect(answer.headers.get("content-security-policy")).toMatch(
        /^default-src 'none'; script-src 'self';/,
      );
      for (const [, to = ""] of (await answer.text()).matchAll(/(?:href|src)="(\/docs[^"#]*)/g))
        links.add(to);
    }
    for (const to of links) expect([to, (await fetch(base + to)).status]).toEqual([to, 200]);
    for (const path of [
      "guides/none",
      "guides/..%2f..%2fpackage",
      "assets/built",
      "assets/..%2fpackage.json",
    ]) {
      expect([path, (await fetch(`${base}/docs/${path}`)).status]).toEqual([path, 404]);
    }
  });
});
