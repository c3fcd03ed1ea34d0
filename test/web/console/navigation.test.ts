import { expect, test } from "vitest";
import { PAGES } from "../../../src/web/console/pages/routes.ts";
import { aRun } from "../../support/ledger.ts";
import { signedIn } from "../../support/session.ts";
import { call, newOrg, serve } from "../../support/worker.ts";

/** The navigation: twelve entries, and tabs where pages share one. */

const linksIn = (part: string) => Array.from(part.matchAll(/<a href="([^"]+)"/g), ([, href = ""]) => href);
const sideOf = (page: string) => /<nav class="nav".*?<\/nav>/s.exec(page)?.[0] ?? "";
const tabsOf = (page: string) => /<nav class="subnav".*?<\/nav>/s.exec(page)?.[0] ?? "";

test("it has twelve entries, and every page is one of them or a tab of one", async () => {
  const browser = await signedIn((await newOrg()).id);
  const entries = linksIn(sideOf(await (await browser.get("/console")).text()));
  expect(entries).toHaveLength(12);
  const reached = new Set(entries);
  for (const entry of entries) {
    const page = await (await browser.get(entry)).text();
    for (const tab of linksIn(tabsOf(page))) reached.add(tab);
    expect([entry, sideOf(page).match(/aria-current="page"/g)]).toEqual([entry, ['aria-current="page"']]);
  }
  const pages = PAGES.filter(([method, path]) => method === "GET" && !/:|\/new$/.test(path));
  const elsewhere = ["/console/search"];
  expect(pages.map(([, path]) => path).filter((path) => !reached.has(path))).toEqual(elsewhere);
});

test("a page marks its tab and its entry, and so does a page below it", async () => {
  const browser = await signedIn((await newOrg()).id);
  for (const path of ["/console/safety", "/console/policies/new", "/console/approvals"]) {
    const page = await (await browser.get(path)).text();
    expect([path, sideOf(page)]).toEqual([
      path,
      expect.stringMatching(/href="\/console\/policies"[^>]*aria-current="page"/),
    ]);
    const tab = path.replace(/\/new$/, "");
    expect([path, tabsOf(page)]).toEqual([
      path,
      expect.stringContaining(`<a href="${tab}" aria-current="page">`),
    ]);
  }
  expect(tabsOf(await (await browser.get("/console/budgets")).text())).toBe("");
});

test("what waits for approval is counted at its entry and at its tab", async () => {
  const org = await newOrg();
  const rule = { target: "model", effect: "require_approval", when: "true", reason: "Ask.", priority: 1 };
  await call("POST", `/v1/orgs/${org.id}/policy-rules`, {
    key: org.ownerKey,
    body: { ...rule, mode: "enforce" },
  });
  expect((await call("POST", "/v1/runs", { key: org.ownerKey, body: aRun() })).status).toBe(403);
  const browser = await signedIn(org.id);
  const page = await (await browser.get("/console/policies")).text();
  const count = '<span class="badge warn count">1</span>';
  expect(sideOf(page).split(count)).toHaveLength(2);
  expect(sideOf(page)).toMatch(/<span class="name">Rules<\/span><span class="badge warn count">/);
  expect(tabsOf(page)).toContain(`Approvals${count}`);
});

test("it is folded to its icons and back by a form, and stays so", async () => {
  const browser = await signedIn((await newOrg()).id);
  const { cookie } = browser;
  const page = await (await browser.get("/console/keys")).text();
  expect(page).toContain('<form class="fold" method="post" action="/console/sidebar">');
  expect(page).not.toContain('class="shell slim"');
  const fold = (headers: Record<string, string>) =>
    serve("http://sluice.test/console/sidebar", { method: "POST", redirect: "manual", headers });
  const folded = await fold({ cookie, referer: "http://sluice.test/console/runs?model=m" });
  expect([folded.status, folded.headers.get("location")]).toEqual([303, "/console/runs?model=m"]);
  const [kept = ""] = (folded.headers.get("set-cookie") ?? "").split(";");
  const headers = { cookie: `${cookie}; ${kept}` };
  const slim = await (await serve("http://sluice.test/console/keys", { headers })).text();
  expect(slim).toContain('class="shell slim"');
  expect(slim).toContain('<span class="name">Budgets</span>');
  const back = await fold({ ...headers, referer: "https://evil.example/console/x" });
  expect(back.headers.get("location")).toBe("/console");
  expect(back.headers.get("set-cookie")).toContain("svc_sidebar=wide");
  const foreign = await fold({ ...headers, "sec-fetch-site": "cross-site" });
  expect(foreign.headers.get("set-cookie")).toBeNull();
});
