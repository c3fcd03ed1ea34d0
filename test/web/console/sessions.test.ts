import { createExecutionContext, env as testEnv } from "cloudflare:test";
import { expect, test } from "vitest";
import { createApp } from "../../../src/app.ts";
import { localSignInToken } from "../../../src/domain/people/local-sign-in.ts";
import { browserWith, signedIn } from "../../support/session.ts";
import { call, newOrg, operatorKey, serve } from "../../support/worker.ts";

const ORIGIN = "http://sluice.test";

test("a session shows who is signed in, to its own cookie", async () => {
  const org = await newOrg();
  const browser = await signedIn(org.id, "admin");
  const answer = await call("GET", "/v1/console/session", { headers: { cookie: browser.cookie } });
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({ id: browser.sessionId, org_id: org.id, role: "admin", current: true });
});

test("over https the cookie's name restricts it to this host", async () => {
  const org = await newOrg();
  const { cookie } = await signedIn(org.id, "viewer", true);
  expect(cookie.startsWith("__Host-svc_session=")).toBe(true);
  const answer = await call("GET", "/v1/console/session", { headers: { cookie } });
  expect(answer.status).toBe(200);
});

test("a request without a cookie is unauthorized; an unknown cookie has ended, and is cleared", async () => {
  expect((await call("GET", "/v1/console/session")).body.error.code).toBe("unauthorized");
  const forged = await call("GET", "/v1/console/session", { headers: { cookie: "a=b; svc_session=ses_x" } });
  expect(forged.body.error.code).toBe("session_revoked");
  expect(forged.headers.get("set-cookie")).toMatch(/^svc_session=;.*Max-Age=0/);
});

test("a revoked session ends at its next request, on the API and on every page, and loses its cookie", async () => {
  const org = await newOrg();
  const browser = await signedIn(org.id);
  expect((await browser.get("/console/support")).status).toBe(200);
  const gone = await call("DELETE", `/v1/orgs/${org.id}/sessions/${browser.sessionId}`, {
    key: org.ownerKey,
  });
  expect(gone.status).toBe(204);
  const answer = await call("GET", "/v1/console/session", { headers: { cookie: browser.cookie } });
  expect([answer.status, answer.body.error.code]).toEqual([401, "session_revoked"]);
  expect(answer.headers.get("set-cookie")).toMatch(/^svc_session=;.*Max-Age=0/);
  const page = await browser.get("/console/support");
  expect(page.status).toBe(401);
  expect(page.headers.get("content-type")).toContain("text/html");
  expect(page.headers.get("set-cookie")).toMatch(/Max-Age=0/);
  expect(await page.text()).toContain("session_revoked");
});

test.each([
  ["unused for an hour", [3601]],
  ["twelve hours old, however much it is used", Array.from({ length: 13 }, () => 3400)],
])("a session that is %s has ended", async (_, steps) => {
  const org = await newOrg({ environment: "test" });
  const browser = await signedIn(org.id);
  let status = 200;
  for (const seconds of steps) {
    expect(status).toBe(200);
    const moved = { key: operatorKey(), body: { advance_seconds: seconds } };
    await call("POST", `/v1/admin/orgs/${org.id}/test-clock`, moved);
    ({ status } = await call("GET", "/v1/console/session", { headers: { cookie: browser.cookie } }));
  }
  expect(status).toBe(401);
});

test("an owner sees who is signed in, and no lower role does", async () => {
  const org = await newOrg();
  const browser = await signedIn(org.id, "viewer");
  const listed = await call("GET", `/v1/orgs/${org.id}/sessions`, { key: org.ownerKey });
  expect(listed.body.data).toMatchObject([{ id: browser.sessionId, role: "viewer", current: false }]);
  expect(listed.text).not.toContain(browser.cookie.split("=")[1]);
  const admin = await call("GET", `/v1/orgs/${org.id}/sessions`, { key: await org.mint("admin") });
  expect([admin.status, admin.body.error.code]).toEqual([403, "forbidden"]);
  const absent = await call("DELETE", `/v1/orgs/${org.id}/sessions/ses_x`, { key: org.ownerKey });
  expect(absent.status).toBe(404);
});

test("signing out ends the session, not only the cookie", async () => {
  const org = await newOrg();
  const browser = await signedIn(org.id);
  const out = await browser.post("/console/logout", {});
  expect([out.status, out.headers.get("location")]).toEqual([303, "/console/login"]);
  expect(out.headers.get("set-cookie")).toMatch(/Max-Age=0/);
  expect((await browser.get("/console/support")).status).toBe(401);
});

test("a visitor who is not signed in is sent to sign in, and back only to a path of this origin", async () => {
  const sent = await serve(`${ORIGIN}/console/runs?model=a`, { redirect: "manual" });
  expect(sent.status).toBe(303);
  expect(sent.headers.get("location")).toBe(
    `/console/login?${new URLSearchParams({ return_to: "/console/runs?model=a" })}`,
  );
  const page = await serve(`${ORIGIN}/console/login?return_to=//evil.example`);
  expect(await page.text()).not.toContain("evil.example");
});

const { LOCAL_SIGN_IN } = testEnv as unknown as { LOCAL_SIGN_IN: string };
const enterLink = (orgId: string, token = localSignInToken(LOCAL_SIGN_IN, orgId)) =>
  `${ORIGIN}/console/enter?org=${orgId}&token=${token}`;

test("the link of a local server signs in to one org: it does not work for another, and neither does the secret itself", async () => {
  const [org, other] = [await newOrg(), await newOrg()];
  for (const token of [localSignInToken(LOCAL_SIGN_IN, org.id), LOCAL_SIGN_IN]) {
    const refused = await serve(enterLink(other.id, token), { redirect: "manual" });
    expect([refused.status, refused.headers.get("set-cookie")]).toEqual([401, null]);
  }
  expect((await serve(enterLink(org.id), { redirect: "manual" })).status).toBe(303);
});

test("the link of a local server signs in once", async () => {
  const org = await newOrg();
  const link = enterLink(org.id);
  expect((await serve(link, { method: "HEAD", redirect: "manual" })).status).toBe(404);
  const first = await serve(link, { redirect: "manual" });
  expect([first.status, first.headers.get("location")]).toEqual([303, "/console"]);
  const browser = browserWith("", first.headers.get("set-cookie")?.split(";")[0] ?? "");
  expect((await browser.get("/console/support")).status).toBe(200);
  const second = await serve(link, { redirect: "manual" });
  expect(second.status).toBe(401);
  expect(second.headers.get("set-cookie")).toBeNull();
});

test("the link does not work with another token, and does not exist on a server that was not started locally", async () => {
  const org = await newOrg();
  const wrong = await serve(enterLink(org.id, "guess"), { redirect: "manual" });
  expect(wrong.status).toBe(401);
  const { LOCAL_SIGN_IN: _, ...deployed } = testEnv as unknown as Record<string, string>;
  const request = new Request(enterLink(org.id));
  const answer = await createApp().fetch(request, deployed, createExecutionContext());
  expect(answer.status).toBe(404);
  expect(answer.headers.get("set-cookie")).toBeNull();
});

test("an org that has used up its reads can still use the console, and the console uses none of them", async () => {
  const org = await newOrg();
  const browser = await signedIn(org.id);
  const limits = { key: operatorKey(), body: { read_rpm: 1, policies: [] } };
  await call("PUT", `/v1/admin/orgs/${org.id}/rate-limits`, limits);
  for (const path of ["/console", "/console/budgets", "/console/rate-limits"]) {
    expect([path, (await browser.get(path)).status]).toEqual([path, 200]);
  }
  const read = () => call("GET", `/v1/orgs/${org.id}`, { key: org.ownerKey });
  expect((await read()).status).toBe(200);
  expect((await read()).status).toBe(429);
  expect((await browser.get("/console/budgets")).status).toBe(200);
});
