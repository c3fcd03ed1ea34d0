import type { Browser, Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { MOST_STREAMS } from "../../../src/org/people/watch.ts";
import { findings } from "../../support/accessibility.ts";
import { chromiumIsMissing, launch, MISSING_NOTE } from "../../support/chromium.ts";
import { call, consoleLink, sharedServer } from "../../support/server.ts";
import { seedOrg } from "./seed.ts";

/** Questions that people bring to the console, answered in a few clicks, with scripts switched off. */

describe.skipIf(chromiumIsMissing)(`questions to the console in Chromium${MISSING_NOTE}`, () => {
  let browser: Browser;
  const base = sharedServer().urls[0];
  let org: Awaited<ReturnType<typeof seedOrg>>;
  let page: Page;

  beforeAll(async () => {
    org = await seedOrg(call, sharedServer().operatorKey);
    browser = await launch();
    page = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
    await page.goto(await consoleLink(org.id, org.key));
    return () => browser.close();
  });

  test("three clicks lead from the overview to the run that spent most for the top customer", async () => {
    const customers = await call("GET", `/v1/orgs/${org.id}/usage/top?by=customer_id&limit=1`, {
      key: org.key,
    });
    const customer = customers.body.data[0].name as string;
    const runs = await call("GET", `/v1/runs?customer_id=${customer}&sort=-cost_usd&limit=1`, {
      key: org.key,
    });
    await page.goto(`${base}/console`);
    await page.click(".ranking li:first-child .label > a:last-child");
    await page.click("tbody tr:first-child td:first-child a");
    expect(await page.locator("h1 + p code").innerText()).toBe(runs.body.data[0].id);
  });

  test("one search leads from the trace of a refused call to the limit that refused it", async () => {
    const refused = await call("POST", "/v1/edge/decision", {
      key: org.key,
      body: { workflow_id: "triage", estimate: { cost_usd: "421.00" } },
    });
    expect(refused.status).toBe(402);
    const trace = refused.headers.get("x-svc-trace-id") ?? "";
    await page.goto(`${base}/console/keys`);
    await page.fill("input[name=q]", trace);
    await page.press("input[name=q]", "Enter");
    expect(await page.locator("main h2").first().innerText()).toContain("Refused by");
    const { budget_id: id } = refused.body.error.details;
    const limit = id === undefined ? "/console/limits" : `/console/budgets/${id}`;
    expect(await page.locator(`.facts a[href='${limit}']`).count()).toBe(1);
    // The search leads on by itself, and is no page to come back to.
    await page.goBack();
    expect(page.url()).toBe(`${base}/console/keys`);
  });

  test("the three answers are above the fold", async () => {
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto(`${base}/console`);
    for (const title of ["Who spends", "What runs out next", "Refused today"]) {
      const box = await page.locator(`h2:text-is('${title}')`).boundingBox();
      expect([title, (box?.y ?? 9999) < 700]).toEqual([title, true]);
    }
  });

  test.for([390, 1280])("dates below a chart of %i pixels stand at their bar", async (width) => {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`${base}/console`);
    const centres = async (of: string): Promise<Map<string, number>> => {
      const found = await page.locator(of).all();
      return new Map(
        await Promise.all(
          found.map(async (one) => {
            const box = await one.boundingBox();
            return [
              (await one.getAttribute("data-date")) ?? "",
              (box?.x ?? -99) + (box?.width ?? 0) / 2,
            ] as const;
          }),
        ),
      );
    };
    const [bars, ticks] = [await centres(".plot-area [data-date]"), await centres(".plot-x [data-date]")];
    expect(ticks.size).toBeGreaterThan(3);
    for (const [date, centre] of ticks) {
      if (bars.has(date))
        expect([date, Math.abs(centre - (bars.get(date) ?? 0)) < 1.5]).toEqual([date, true]);
    }
  });

  test("a page that is open shows what happens, without a reload, and leaves what the reader types", async () => {
    const watched = await (await browser.newContext()).newPage();
    await watched.goto(await consoleLink(org.id, org.key));
    await watched.goto(`${base}/console/refusals`);
    await watched.evaluate("window.isTheSame = true");
    await watched.locator("#live").waitFor();
    const body = { workflow_id: "triage", estimate: { cost_usd: "422.00" } };
    const refused = await call("POST", "/v1/edge/decision", { key: org.key, body });
    const trace = refused.headers.get("x-svc-trace-id") ?? "";
    await watched.locator(`code:text-is('${trace}')`).waitFor();
    expect(await watched.evaluate("window.isTheSame")).toBe(true);
    await watched.fill("#customer_id", "half a na");
    const shown = watched.waitForResponse((answer) => answer.url() === `${base}/console/refusals`);
    const next = await call("POST", "/v1/edge/decision", { key: org.key, body });
    const other = next.headers.get("x-svc-trace-id") ?? "";
    await shown;
    expect(await watched.inputValue("#customer_id")).toBe("half a na");
    await watched.fill("#customer_id", "");
    await watched.evaluate("document.activeElement.blur()");
    await call("POST", "/v1/edge/decision", { key: org.key, body });
    await watched.locator(`code:text-is('${other}')`).waitFor();
    await watched.context().close();
  });

  test("a page that is open keeps what it shows while nothing newer can be read", async () => {
    const watched = await (await browser.newContext()).newPage();
    await watched.goto(await consoleLink(org.id, org.key));
    const address = `${base}/console/refusals`;
    const body = { workflow_id: "triage", estimate: { cost_usd: "424.00" } };
    const refuse = async () => {
      const { headers } = await call("POST", "/v1/edge/decision", { key: org.key, body });
      return watched.locator(`code:text-is('${headers.get("x-svc-trace-id") ?? ""}')`);
    };
    const first = await refuse();
    await watched.goto(address);
    await watched.locator("#live").waitFor();
    await first.waitFor();
    const failed = '<main id="main"><div data-failed>Temporarily unavailable</div></main>';
    await watched.route(address, (route) => route.fulfill({ contentType: "text/html", body: failed }));
    const asked = watched.waitForResponse((answer) => answer.url() === address);
    const second = await refuse();
    await (await asked).finished();
    expect([await first.count(), await watched.getByText("Temporarily unavailable").count()]).toEqual([1, 0]);
    await watched.unroute(address);
    await refuse();
    await second.waitFor();
    await watched.context().close();
  });

  test("a page that is open beside as many as may have a stream shows what happens all the same", async () => {
    const context = await browser.newContext();
    const first = await context.newPage();
    await first.goto(await consoleLink(org.id, org.key));
    await first.locator("#live").waitFor();
    for (let nth = 1; nth < MOST_STREAMS; nth += 1) {
      const other = await context.newPage();
      await other.goto(`${base}/console/refusals`);
      await other.locator("#live").waitFor();
    }
    const late = await context.newPage();
    await late.clock.install();
    const turnedAway = late.waitForResponse((answer) => answer.url() === `${base}/console/live`);
    await late.goto(`${base}/console/refusals`);
    expect((await turnedAway).status()).toBe(204);
    const body = { workflow_id: "triage", estimate: { cost_usd: "423.00" } };
    const refused = await call("POST", "/v1/edge/decision", { key: org.key, body });
    const trace = refused.headers.get("x-svc-trace-id") ?? "";
    await expect
      .poll(async () => {
        await late.clock.fastForward(31_000);
        return late.locator(`code:text-is('${trace}')`).count();
      })
      .toBe(1);
    await first.close();
    const stream = late.waitForResponse((answer) => answer.url() === `${base}/console/live` && answer.ok());
    await late.clock.fastForward(31_000);
    await stream;
    await context.close();
  });

  test("a bar tells its day to the pointer and the keyboard, and a chart is one stop of the Tab key", async () => {
    const pointed = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
    await pointed.goto(await consoleLink(org.id, org.key));
    await pointed.goto(`${base}/console`);
    const bars = pointed.locator(".plot-area a");
    await bars.nth(20).hover();
    const told = await pointed.locator(".tip").innerText();
    expect(told).toMatch(/^\d+ \w{3}: \$[\d.]+, [\d.]+ % of the cap\n/);
    expect(told).toContain("umbrella: $");
    // Each part has the color of its piece of the bar.
    const classesOf = (of: Locator) => of.evaluateAll((all) => all.map((one) => one.getAttribute("class")));
    const pieces = await classesOf(bars.nth(20).locator("rect:not(.slot)"));
    expect(pieces.length).toBeGreaterThan(1);
    expect(await classesOf(pointed.locator(".tip i"))).toEqual(pieces);
    await bars.nth(20).focus();
    await pointed.keyboard.press("ArrowRight");
    expect(await pointed.locator(".tip").innerText()).not.toBe(told);
    const stops = await pointed.locator(".plot-area a:not([tabindex='-1'])").count();
    const dayOf = (bar: Locator) => bar.locator(".slot").getAttribute("data-date");
    const focused = pointed.locator(".plot-area a:focus");
    expect([stops, await dayOf(focused)]).toEqual([1, await dayOf(bars.nth(21))]);
    const last = (await bars.count()) - 1;
    for (const [key, at] of [
      ["ArrowLeft", 20],
      ["End", last],
      ["ArrowRight", last],
      ["Home", 0],
      ["ArrowLeft", 0],
    ] as const) {
      await pointed.keyboard.press(key);
      expect([key, await dayOf(focused)]).toEqual([key, await dayOf(bars.nth(at))]);
      const words = await focused.getAttribute("aria-label");
      expect((await pointed.locator(".tip").innerText()).trim()).toBe(words);
    }
    await pointed.keyboard.press("Escape");
    expect(await pointed.locator(".tip").isVisible()).toBe(false);
    await pointed.context().close();
  });

  test("a key leads to the search from anywhere, which lists what it finds while one types", async () => {
    const typed = await (await browser.newContext()).newPage();
    await typed.goto(await consoleLink(org.id, org.key));
    await typed.goto(`${base}/console/keys`);
    await typed.keyboard.press("/");
    await typed.keyboard.type("support tri");
    await typed.locator("#found a", { hasText: "Support triage" }).waitFor();
    expect(await typed.inputValue("form.search input")).toBe("support tri");
    expect(await findings(typed)).toEqual([]);
    await typed.keyboard.press("ArrowDown");
    await typed.keyboard.press("Enter");
    await typed.waitForURL(/\/console\/budgets\/bud_/);
    await typed.keyboard.press("Control+k");
    await typed.keyboard.type("glob/ex");
    expect(await typed.inputValue("form.search input")).toBe("glob/ex");
    await typed.keyboard.press("Escape");
    expect(await typed.locator("#found").isVisible()).toBe(false);
    await typed.context().close();
  });

  test("an amount is copied with all its digits", async () => {
    const body = {
      started_at: new Date().toISOString(),
      model: "acme/opus-4",
      usage: { input_tokens: 1, output_tokens: 1 },
      cost_usd: "0.123456789",
      incurred: true,
    };
    expect((await call("POST", "/v1/runs", { key: org.key, body })).status).toBe(201);
    await page.goto(`${base}/console`);
    const exact = page.locator(".usd").first();
    const [shown, copied] = [await exact.getAttribute("data-shown"), await exact.innerText()];
    expect(copied).toBe(await exact.getAttribute("title"));
    expect(copied).not.toBe(shown);
  });
});
