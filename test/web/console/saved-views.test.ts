import { beforeAll, describe, expect, test } from "vitest";
import { addressToSave, savedViews, viewsValue } from "../../../src/web/console/saved-views.ts";
import { type Browser, browserWith, signedIn } from "../../support/session.ts";
import { newOrg, type TestOrg } from "../../support/worker.ts";

/** Named views of pages, kept in a cookie. */

let org: TestOrg;
let signed: Browser;
beforeAll(async () => {
  org = await newOrg();
  signed = await signedIn(org.id);
});

const RUNS = "/console/runs?model=acme%2Fm1&sort=-cost_usd";
const cookieOf = (answer: Response) => /svc_views=([^;]*)/.exec(answer.headers.get("set-cookie") ?? "")?.[1];
const withCookie = (value: string, of = signed) =>
  browserWith(of.sessionId, `${of.cookie}; svc_views=${value}`);
const valueOf = (...stored: unknown[]) => Buffer.from(JSON.stringify(stored)).toString("base64url");

async function save(browser: Browser, name: string, at: string): Promise<Browser> {
  const answer = await browser.post("/console/views", { name, at });
  expect([name, answer.status, answer.headers.get("location")]).toEqual([name, 303, at]);
  expect(answer.headers.get("set-cookie")).toMatch(/; Path=\/console; HttpOnly; SameSite=Lax; Max-Age=\d+$/);
  return withCookie(cookieOf(answer) ?? "");
}

const viewsOn = async (browser: Browser, path: string) => {
  const page = await (await browser.get(path)).text();
  const [, listed = ""] = /aria-label="Saved views">(.*?)<\/nav>/s.exec(page) ?? [];
  return [...listed.matchAll(/<a href="([^"]*)"( aria-current="true")?>([^<]*)<\/a>/g)].map(
    ([, href = "", current, name]) => [name, href.replaceAll("&amp;", "&"), current !== undefined],
  );
};

describe("a view", () => {
  test("is saved by its name, and opens with one click on the page that it belongs to, and on no other", async () => {
    const page = await (await signed.get(`${RUNS}&notice=saved`)).text();
    expect(page).toContain(`<input type="hidden" name="at" value="${RUNS.replace("&", "&amp;")}"/>`);
    expect(addressToSave("/console/runs", new URLSearchParams("cursor=x&sort=y"))).toBe(
      "/console/runs?sort=y",
    );
    expect(await (await signed.get("/console/runs")).text()).not.toContain("Save this view");
    const browser = await save(signed, "  Dear <b>runs</b> ", RUNS);
    expect(await viewsOn(browser, RUNS)).toEqual([["Dear &lt;b&gt;runs&lt;/b&gt;", RUNS, true]]);
    expect(await viewsOn(browser, "/console/runs")).toEqual([["Dear &lt;b&gt;runs&lt;/b&gt;", RUNS, false]]);
    expect(await viewsOn(browser, "/console/refusals")).toEqual([]);
    expect(await viewsOn(browser, "/console")).toEqual([]);
  });

  test("takes the place of one with its name on the same page, and is deleted by itself", async () => {
    const other = "/console/runs?sort=started_at";
    let browser = await save(signed, "Mine", RUNS);
    browser = await save(browser, "Mine", other);
    browser = await save(browser, "Mine", "/console/refusals?code=budget_exceeded");
    browser = await save(browser, "Second", RUNS);
    expect(await viewsOn(browser, "/console/runs")).toEqual([
      ["Mine", other, false],
      ["Second", RUNS, false],
    ]);
    const page = await (await browser.get("/console/runs")).text();
    const [, action = ""] = /action="(\/console\/views\/delete\?name=Mine[^"]*)"/.exec(page) ?? [];
    const gone = await browser.post(action.replaceAll("&amp;", "&"), {});
    browser = withCookie(cookieOf(gone) ?? "");
    expect(await viewsOn(browser, "/console/runs")).toEqual([["Second", RUNS, false]]);
    expect(await viewsOn(browser, "/console/refusals")).toHaveLength(1);
  });

  test("is for viewers, too, and is saved again by a form that is sent twice", async () => {
    const viewer = await signedIn(org.id, "viewer");
    const form = { name: "Mine", at: RUNS, _once: "the-same-form" };
    const [first, second] = [
      await viewer.post("/console/views", form),
      await viewer.post("/console/views", form),
    ];
    expect([first.status, cookieOf(first)]).toEqual([303, cookieOf(second)]);
  });

  test("is of one organization, and those of others stay", async () => {
    const elsewhere = await signedIn((await newOrg()).id);
    const browser = await save(signed, "Mine", RUNS);
    const value = /svc_views=(.*)$/.exec(browser.cookie)?.[1] ?? "";
    expect(await viewsOn(withCookie(value, elsewhere), "/console/runs")).toEqual([]);
    const both = cookieOf(
      await withCookie(value, elsewhere).post("/console/views", { name: "Mine", at: "/console/runs?sort=x" }),
    );
    expect(await viewsOn(withCookie(both ?? ""), "/console/runs")).toEqual([["Mine", RUNS, false]]);
  });
});

describe("nothing but a named page of this console is kept or shown", () => {
  const FOREIGN = [
    "https://evil.example/console",
    "//evil.example/console",
    "/console/..//evil.example",
    "/consolevil",
    "/operator",
    "javascript:alert(1)",
    "/console/runs?q=\u0000",
    `/console/runs?q=${"x".repeat(600)}`,
    "",
  ];

  test.each(FOREIGN)("the address %j is not saved", async (at) => {
    const answer = await signed.post("/console/views", { name: "Foreign", at });
    expect([answer.headers.get("location"), cookieOf(answer)]).toEqual(["/console", undefined]);
  });

  test.each(["", " ", "x".repeat(41), "two\nlines", "hid\u202eden"])(
    "the name %j is not saved",
    async (name) => {
      const answer = await signed.post("/console/views", { name, at: RUNS });
      expect([answer.status, cookieOf(answer)]).toEqual([422, undefined]);
    },
  );

  test("a cookie that somebody else wrote adds no link to elsewhere, and breaks no page", async () => {
    const stored = FOREIGN.map((at) => [org.id, "Foreign", at]);
    const forged = [...stored, [org.id, "", RUNS], [org.id, 7, RUNS], "x", null, [org.id, "Good", RUNS]];
    expect(await viewsOn(withCookie(valueOf(...forged)), "/console/runs")).toEqual([["Good", RUNS, false]]);
    for (const value of ["", "%%%", valueOf(), Buffer.from('{"a":1}').toString("base64url")]) {
      const page = await withCookie(value).get("/console/runs");
      expect([value, page.status]).toEqual([value, 200]);
    }
  });

  test("there are at most twenty, and no more than a cookie takes", async () => {
    const views = (count: number, at: string) =>
      Array.from({ length: count }, (_, nth) => ({ orgId: org.id, name: `View ${nth}`, at }));
    const full = viewsValue(views(20, RUNS)) ?? "";
    const answer = await withCookie(full).post("/console/views", { name: "One more", at: RUNS });
    expect([answer.status, cookieOf(answer)]).toEqual([409, undefined]);
    expect(await answer.text()).toContain("at most 20 views");
    expect((await withCookie(full).post("/console/views", { name: "View 3", at: RUNS })).status).toBe(303);
    expect(viewsValue(views(8, `/console/runs?q=${"x".repeat(480)}`))).toBeNull();
    const many = valueOf(...views(50, RUNS).map(({ orgId, name, at }) => [orgId, name, at]));
    const request = new Request("http://sluice.test", { headers: { cookie: `svc_views=${many}` } });
    expect(savedViews(request)).toHaveLength(20);
  });

  test("a form without its token saves nothing", async () => {
    const answer = await signed.post("/console/views", { name: "Forged", at: RUNS, _csrf: "x" });
    expect([answer.status, cookieOf(answer)]).toEqual([403, undefined]);
  });
});
