import { createExecutionContext } from "cloudflare:test";
import { expect, test } from "vitest";
import { createApp } from "../../../src/app.ts";
import { PAGES } from "../../../src/web/console/pages/routes.ts";
import { signedIn } from "../../support/session.ts";
import { call, env, newOrg, serve } from "../../support/worker.ts";

test("a page runs no script but its own, loads nothing from elsewhere, and carries no deprecation", async () => {
  const org = await newOrg();
  const browser = await signedIn(org.id);
  const page = await browser.get("/console/keys");
  const text = await page.text();
  expect(page.status).toBe(200);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(page.headers.get("content-security-policy")).not.toContain("unsafe");
  expect(page.headers.get("deprecation")).toBeNull();
  expect(page.headers.get("sunset")).toBeNull();
  expect(text.replaceAll(/<script src="\/console\/find-\w+\.js" defer=""><\/script>/g, "")).not.toMatch(
    /<script|<style|\sstyle=|\son\w+=|src="http|href="http(?!s?:\/\/127)/,
  );
});

test("the stylesheet is served at the URL that pages use, and can be cached permanently", async () => {
  const org = await newOrg();
  const page = await (await (await signedIn(org.id)).get("/console/keys")).text();
  const address = /href="(\/console\/style-[^"]+)"/.exec(page)?.[1] ?? "";
  const sheet = await serve(`http://sluice.test${address}`);
  expect([sheet.status, sheet.headers.get("content-type")]).toEqual([200, "text/css; charset=utf-8"]);
  expect(sheet.headers.get("cache-control")).toContain("immutable");
  const text = await sheet.text();
  expect([text.length > 1000, text.length < 28_000]).toEqual([true, true]);
});

test("a form uses the API's own operation: the key that it creates works, and the trail names the session", async () => {
  const org = await newOrg();
  const browser = await signedIn(org.id);
  const made = await browser.post("/console/keys", { name: "Proxy", role: "developer" });
  const key = /svc_live_[0-9A-Za-z_]+/.exec(await made.text())?.[0] ?? "";
  expect(made.status).toBe(201);
  expect((await call("GET", `/v1/orgs/${org.id}`, { key })).status).toBe(200);
  const listed = await call("GET", `/v1/orgs/${org.id}/keys`, { key: org.ownerKey });
  expect(listed.body.data).toHaveLength(2);
});

test("a form that is sent twice acts once", async () => {
  const org = await newOrg();
  const browser = await signedIn(org.id);
  const fields = { name: "Once", role: "viewer", _once: "the-same-form" };
  const [first, second] = [
    await browser.post("/console/keys", fields),
    await browser.post("/console/keys", fields),
  ];
  expect(await first.text()).toBe(await second.text());
  const listed = await call("GET", `/v1/orgs/${org.id}/keys`, { key: org.ownerKey });
  expect(listed.body.data).toHaveLength(2);
});

test("a form is refused with the API's own messages, field by field, and keeps the input", async () => {
  const org = await newOrg();
  const browser = await signedIn(org.id);
  const fields = { name: "Kept <b>", role: "viewer", expires_at: "soon" };
  const refused = await browser.post("/console/keys", fields);
  const text = await refused.text();
  const api = await call("POST", `/v1/orgs/${org.id}/keys`, { key: org.ownerKey, body: fields });
  expect(refused.status).toBe(api.status);
  expect(text).toContain(api.body.error.details.fields[0].message);
  expect(text).toContain('value="Kept &lt;b&gt;"');
  expect(text).toContain('aria-invalid="true"');
});

test("a role that is too low is refused as by the API", async () => {
  const org = await newOrg();
  const browser = await signedIn(org.id, "viewer");
  const page = await browser.get("/console/keys");
  expect(page.status).toBe(403);
  expect(await page.text()).toContain("forbidden");
});

test.each([
  ["without its token", { _csrf: "" }, {}],
  ["with another session's token", { _csrf: "A".repeat(43) }, {}],
  ["from another site", {}, { "sec-fetch-site": "cross-site" }],
  ["from another origin", {}, { origin: "https://evil.example" }],
  ["as plain text", {}, { "content-type": "text/plain" }],
])("a form that is sent %s changes nothing", async (_, fields, headers) => {
  const org = await newOrg();
  const browser = await signedIn(org.id);
  const refused = await browser.post("/console/keys", { name: "Forged", role: "owner", ...fields }, headers);
  expect(refused.status).toBe(403);
  const listed = await call("GET", `/v1/orgs/${org.id}/keys`, { key: org.ownerKey });
  expect(listed.body.data).toHaveLength(1);
});

test("a session's cookie is not a key: the API still requires a bearer token", async () => {
  const org = await newOrg();
  const { cookie } = await signedIn(org.id);
  const answer = await call("GET", `/v1/orgs/${org.id}`, { headers: { cookie } });
  expect([answer.status, answer.body.error.code]).toEqual([401, "unauthorized"]);
});

test("every path returns a page, for every caller, and never the API's envelope", async () => {
  const org = await newOrg();
  const browser = await signedIn(org.id);
  for (const [method, path] of PAGES) {
    if (method === "POST") continue;
    const concrete = path.replaceAll(/:\w+/g, "bud_01ARZ3NDEKTSV4RRFFQ69G5FAV");
    const page = await browser.get(concrete);
    expect([path, page.headers.get("content-type")]).toEqual([path, "text/html; charset=utf-8"]);
    expect([path, page.status < 500]).toEqual([path, true]);
    const stranger = await serve(`http://sluice.test${concrete}`, { redirect: "manual" });
    expect([path, stranger.status]).toEqual([path, 303]);
  }
});

test("a page that fails is an error page, and the cause is only in the log", async () => {
  const org = await newOrg();
  const { cookie } = await signedIn(org.id);
  const broken = {
    ...env,
    ORG: {
      getByName: () => {
        throw new Error("the cause");
      },
    },
  };
  const request = new Request("http://sluice.test/console/keys", { headers: { cookie } });
  const answer = await createApp().fetch(request, broken, createExecutionContext());
  const text = await answer.text();
  expect([answer.status >= 500, answer.headers.get("content-type")]).toEqual([
    true,
    "text/html; charset=utf-8",
  ]);
  expect(text).not.toContain("the cause");
});

test.each([
  ["POST", "/console/nowhere"],
  ["DELETE", "/console/keys"],
  ["POST", "/sso/login"],
  ["GET", "/saml/nowhere"],
])("%s %s returns a page, like everything under these paths", async (method, path) => {
  const answer = await serve(`http://sluice.test${path}`, { method });
  expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
});

test("a list is filtered, and a filter that the API refuses shows the reason next to its field", async () => {
  const org = await newOrg();
  const browser = await signedIn(org.id);
  for (const customer_id of ["globex", "initech"]) {
    const body = { customer_id, limit_usd: "5", period: "day" };
    await call("POST", `/v1/orgs/${org.id}/customer-limits`, { key: org.ownerKey, body });
  }
  const found = await (await browser.get("/console/customer-limits?customer_id=globex")).text();
  expect([found.includes(">globex<"), found.includes(">initech<")]).toEqual([true, false]);
  const none = await (await browser.get("/console/customer-limits?customer_id=hooli")).text();
  expect(none).toContain("Nothing matches");
  const refused = await browser.get("/console/runs?from=2026-01-01&to=2026-12-31");
  expect(await refused.text()).toContain('id="to-error"');
});

test("a read-only role is offered nothing that it would be refused", async () => {
  const org = await newOrg();
  const body = { name: "Kept", scope_kind: "org", limit_usd: "5", period: "day", mode: "enforce" };
  const made = await call("POST", `/v1/orgs/${org.id}/budgets`, { key: org.ownerKey, body });
  const path = `/console/budgets/${made.body.id}`;
  const pages = async (role: "viewer" | "admin") => {
    const browser = await signedIn(org.id, role);
    const texts = [await browser.get("/console/budgets"), await browser.get(path)].map((page) => page.text());
    return (await Promise.all(texts)).join("");
  };
  const [viewer, admin] = [await pages("viewer"), await pages("admin")];
  for (const offered of ["/console/budgets/new", `action="${path}"`, `action="${path}/delete"`]) {
    expect([offered, viewer.includes(offered), admin.includes(offered)]).toEqual([offered, false, true]);
  }
});

test("rules are listed by priority, the highest first", async () => {
  const org = await newOrg();
  for (const [reason, priority] of [
    ["second", 5],
    ["first", 50],
    ["third", 1],
  ] as const) {
    const body = { target: "model", effect: "deny", when: "false", reason, priority, mode: "enforce" };
    await call("POST", `/v1/orgs/${org.id}/policy-rules`, { key: org.ownerKey, body });
  }
  const text = await (await (await signedIn(org.id)).get("/console/policies")).text();
  expect(text.match(/>(first|second|third)</g)).toEqual([">first<", ">second<", ">third<"]);
});
