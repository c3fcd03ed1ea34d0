import { describe, expect, test } from "vitest";
import { browserWith } from "../../support/session.ts";
import { call, newOrg, operatorKey, serve, type TestOrg } from "../../support/worker.ts";

/** Links that sign in to the console once, as an owner. */

const ADDRESS = "203.0.113.7";

async function linkOf(org: TestOrg, key = org.ownerKey): Promise<string> {
  const made = await call("POST", `/v1/orgs/${org.id}/console-links`, { key });
  expect([made.status, made.text]).toEqual([201, made.text]);
  const { pathname, search } = new URL(made.body.url);
  expect(pathname).toBe("/console/enter");
  return pathname + search;
}

function open(path: string, headers: Record<string, string> = {}, init: RequestInit = {}): Promise<Response> {
  const sent = { "cf-connecting-ip": ADDRESS, ...headers };
  return serve(`http://sluice.test${path}`, { headers: sent, redirect: "manual", ...init });
}

const cookieOf = (answer: Response) => answer.headers.get("set-cookie")?.split(";")[0] ?? "";

async function sessionOf(cookie: string) {
  return call("GET", "/v1/console/session", { headers: { cookie } });
}

async function signInBy(org: TestOrg, key = org.ownerKey): Promise<string> {
  const entered = await open(await linkOf(org, key));
  expect(entered.status).toBe(303);
  return cookieOf(entered);
}

async function advance(org: TestOrg, seconds: number): Promise<void> {
  const body = { advance_seconds: seconds };
  await call("POST", `/v1/admin/orgs/${org.id}/test-clock`, { key: operatorKey(), body });
}

describe("a console link", () => {
  test("signs in once, to its own org, as an owner", async () => {
    const org = await newOrg();
    const link = await linkOf(org);
    const entered = await open(link);
    expect([entered.status, entered.headers.get("location")]).toEqual([303, "/console"]);
    expect(entered.headers.get("set-cookie")).toMatch(/HttpOnly; SameSite=Lax/);
    const session = await sessionOf(cookieOf(entered));
    expect(session.body).toMatchObject({ org_id: org.id, role: "owner", user: { provider: "key" } });
    const again = await open(link);
    expect([again.status, again.headers.get("set-cookie")]).toEqual([401, null]);
    expect(await again.text()).toContain("link_unknown");
  });

  test("opened by two at once signs in one of them", async () => {
    const link = await linkOf(await newOrg());
    const both = await Promise.all([open(link), open(link), open(link)]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 401, 401]);
  });

  test("is not used up by a HEAD request", async () => {
    const link = await linkOf(await newOrg());
    expect((await open(link, {}, { method: "HEAD" })).headers.get("set-cookie")).toBeNull();
    expect((await open(link)).status).toBe(303);
  });

  test("expires after ten minutes", async () => {
    const org = await newOrg({ environment: "test" });
    const made = await call("POST", `/v1/orgs/${org.id}/console-links`, { key: org.ownerKey });
    expect(Date.parse(made.body.expires_at) - Date.now()).toBeGreaterThan(590_000);
    const [early, late] = [await linkOf(org), await linkOf(org)];
    await advance(org, 590);
    expect((await open(early)).status).toBe(303);
    await advance(org, 11);
    expect((await open(late)).status).toBe(401);
  });

  test("is made by an owner key with every scope or by the operator, and by nobody else", async () => {
    const [org, other] = [await newOrg(), await newOrg()];
    const path = `/v1/orgs/${org.id}/console-links`;
    const refused = async (key: string | null) => {
      const { status, body } = await call("POST", path, { key });
      return `${status} ${body.error?.code}`;
    };
    for (const role of ["viewer", "developer", "admin"]) {
      expect(await refused(await org.mint(role))).toBe("403 forbidden");
    }
    expect(await refused(await org.mint("owner", { scopes: ["org:read", "org:write"] }))).toBe(
      "403 missing_scope",
    );
    expect(await refused(other.ownerKey)).toBe("404 not_found");
    expect(await refused(null)).toBe("401 unauthorized");
    expect((await call("POST", path, { key: operatorKey() })).status).toBe(201);
  });

  test("that was altered, or names another org, is refused", async () => {
    const [org, other] = [await newOrg(), await newOrg()];
    const link = await linkOf(org);
    const moved = link.replace(org.id.slice(4), other.id.slice(4));
    expect(moved).not.toBe(link);
    for (const path of [moved, `${link.slice(0, -1)}_`, "/console/enter?link=", "/console/enter?link=x"]) {
      const answer = await open(path);
      expect([path, answer.status, answer.headers.get("set-cookie")]).toEqual([path, 401, null]);
    }
  });

  test("stays usable when its reader is at an address that the org does not allow", async () => {
    const org = await newOrg();
    const link = await linkOf(org);
    const body = { ip_allow_list: ["198.51.100.0/24"] };
    await call("PATCH", `/v1/orgs/${org.id}`, { key: org.ownerKey, body, from: "198.51.100.1" });
    const outside = await open(link);
    expect([outside.status, outside.headers.get("set-cookie")]).toEqual([403, null]);
    expect((await open(link, { "cf-connecting-ip": "198.51.100.1" })).status).toBe(303);
  });

  test("of a suspended org does not sign in", async () => {
    const org = await newOrg();
    const link = await linkOf(org);
    await call("POST", `/v1/admin/orgs/${org.id}/suspend`, { key: operatorKey(), body: {} });
    const answer = await open(link);
    expect([answer.status, answer.headers.get("set-cookie")]).toEqual([403, null]);
  });

  test("that another site opens asks first, and only its own page can answer", async () => {
    const link = await linkOf(await newOrg());
    const led = await open(link, { "sec-fetch-site": "cross-site" });
    expect([led.status, led.headers.get("set-cookie")]).toEqual([200, null]);
    const token = /name="link" value="([^"]+)"/.exec(await led.text())?.[1] ?? "";
    const answer = (site: string) =>
      open(
        "/console/enter",
        { "sec-fetch-site": site },
        { method: "POST", body: new URLSearchParams({ link: token }) },
      );
    expect((await answer("cross-site")).headers.get("set-cookie")).toBeNull();
    expect((await answer("same-origin")).status).toBe(303);
  });
});

describe("a session that a key opened", () => {
  test("ends with the key", async () => {
    const org = await newOrg();
    const minted = await call("POST", `/v1/orgs/${org.id}/keys`, {
      key: org.ownerKey,
      body: { name: "Finance", role: "owner" },
    });
    const { id, key } = minted.body as { id: string; key: string };
    const unused = await linkOf(org, key);
    const cookie = await signInBy(org, key);
    expect((await sessionOf(cookie)).body.user).toMatchObject({ name: "Finance", subject: id });
    expect((await call("DELETE", `/v1/orgs/${org.id}/keys/${id}`, { key: org.ownerKey })).status).toBe(204);
    expect((await sessionOf(cookie)).body.error.code).toBe("session_revoked");
    expect((await open(unused)).status).toBe(401);
    const listed = await call("GET", `/v1/orgs/${org.id}/sessions`, { key: org.ownerKey });
    expect(listed.body.data).toEqual([]);
  });

  test("ends when its secret is rotated away, and lives through the grace period", async () => {
    const org = await newOrg({ environment: "test" });
    const cookie = await signInBy(org);
    const { subject: keyId } = (await sessionOf(cookie)).body.user;
    const rotate = async (key: string, grace_seconds: number) => {
      const path = `/v1/orgs/${org.id}/keys/${keyId}/rotate`;
      return (await call("POST", path, { key, body: { grace_seconds } })).body.key as string;
    };
    const second = await rotate(org.ownerKey, 600);
    expect((await sessionOf(cookie)).status).toBe(200);
    await advance(org, 601);
    expect((await sessionOf(cookie)).status).toBe(401);
    const next = await signInBy(org, second);
    await rotate(second, 0);
    expect((await sessionOf(next)).status).toBe(401);
  });

  test("makes no key that outlives its own", async () => {
    const org = await newOrg();
    const ends = new Date(Date.now() + 3_600_000).toISOString();
    const browser = browserWith("", await signInBy(org, await org.mint("owner", { expires_at: ends })));
    const made = await browser.post("/console/keys", { name: "Longer", role: "owner" });
    expect(made.status).toBe(201);
    const listed = await call("GET", `/v1/orgs/${org.id}/keys`, { key: org.ownerKey });
    const longer = listed.body.data.find(({ name }: { name: string }) => name === "Longer");
    expect(longer.expires_at).toBe(ends);
  });

  test("does not approve what its key asked for", async () => {
    const org = await newOrg();
    const rule = {
      target: "model",
      effect: "require_approval",
      when: "true",
      reason: "Ask",
      priority: 1,
      mode: "enforce",
    };
    await call("POST", `/v1/orgs/${org.id}/policy-rules`, { key: org.ownerKey, body: rule });
    const requester = await org.mint("owner");
    const body = {
      started_at: new Date().toISOString(),
      model: "acme/m1",
      usage: { input_tokens: 1, output_tokens: 1 },
      cost_usd: "0.01",
    };
    const held = await call("POST", "/v1/runs", { key: requester, body });
    const approval = held.body.error.details.approval_id as string;
    const path = `/console/approvals/${approval}/approve`;
    const own = await browserWith("", await signInBy(org, requester)).post(path, {});
    expect(own.status).toBe(403);
    const others = await browserWith("", await signInBy(org)).post(path, {});
    expect(others.status).toBe(303);
  });
});
