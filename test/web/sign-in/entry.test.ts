import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { ask, begin, comeBack, onNetwork, orgAt, redirectUriOf } from "../../support/oidc-sign-in.ts";
import { signedIn } from "../../support/session.ts";
import { call, env, newOrg, type TestOrg } from "../../support/worker.ts";
import { type KeyPair, LyingProvider, newKey } from "../sso/lying-provider.ts";

/** The org's own rules about addresses and regions apply to people as they do to keys. */

const INSIDE = "198.51.100.1";
const OUTSIDE = "203.0.113.7";

async function allowOnlyInside(org: TestOrg): Promise<void> {
  const body = { ip_allow_list: ["198.51.100.0/24"] };
  const set = await call("PATCH", `/v1/orgs/${org.id}`, { key: org.ownerKey, body, from: INSIDE });
  expect(set.status).toBe(200);
}

/** A rule that excludes this region, for an org with its home elsewhere. */
async function keepOutOfHere(org: TestOrg): Promise<void> {
  const { runInDurableObject } = await import("cloudflare:test");
  await runInDurableObject(env.ORG.getByName(org.id), (_, state) => {
    state.storage.sql.exec(`INSERT INTO residency (one, regions) VALUES (1, '["eu"]')`);
  });
}

const RULES = [
  ["ip_not_allowed", allowOnlyInside],
  ["residency_violation", keepOutOfHere],
] as const;

describe("a session", () => {
  test.each(RULES)("that is kept out by %s gets nothing", async (code, keepOut) => {
    const org = await newOrg();
    const browser = await signedIn(org.id);
    expect((await browser.get("/console")).status).toBe(200);
    await keepOut(org);
    const own = await call("GET", "/v1/console/session", { headers: { cookie: browser.cookie } });
    expect([own.status, own.body.error.code]).toEqual([403, code]);
    expect(own.headers.get("set-cookie")).toBeNull();
    for (const path of ["/console", "/console/keys", "/console/audit/export?format=csv"]) {
      const page = await browser.get(path);
      expect([path, page.status, page.headers.get("content-type")]).toEqual([
        path,
        403,
        "text/html; charset=utf-8",
      ]);
      const text = await page.text();
      expect(text).toContain(code);
      expect(text).not.toContain(org.id);
    }
    expect((await browser.post("/console/logout", {})).status).toBe(403);
  });

  test("from an allowed address works as usual", async () => {
    const org = await newOrg();
    const { cookie } = await signedIn(org.id);
    await allowOnlyInside(org);
    const inside = { cookie, "cf-connecting-ip": INSIDE };
    expect((await ask("/console", inside)).status).toBe(200);
    const own = await call("GET", "/v1/console/session", { headers: { cookie }, from: INSIDE });
    expect(own.status).toBe(200);
  });

  test("can still reach the page that sets the residency rule, but only from an allowed address", async () => {
    const org = await newOrg();
    const browser = await signedIn(org.id);
    await keepOutOfHere(org);
    expect((await browser.get("/console/data")).status).toBe(200);
    await call("PUT", `/v1/orgs/${org.id}/residency`, { key: org.ownerKey, body: { regions: null } });
    await allowOnlyInside(org);
    expect((await browser.get("/console/data")).status).toBe(403);
  });
});

describe("signing in", () => {
  let key: KeyPair;
  let provider: LyingProvider;
  beforeAll(async () => {
    key = await newKey();
  });
  beforeEach(() => {
    provider = new LyingProvider(key);
    onNetwork(() => [provider]);
  });
  afterEach(() => vi.restoreAllMocks());

  test.each(RULES)("does not start if %s keeps the person out", async (code, keepOut) => {
    const org = await orgAt(provider);
    await keepOut(org);
    const sent = await ask(`/sso/login?org=${org.id}`);
    expect([sent.status, sent.headers.get("location")]).toEqual([403, null]);
    expect(await sent.text()).toContain(code);
    expect(provider.calls).toEqual([]);
  });

  test.each(RULES)(
    "does not finish if %s keeps the person out, and the code stays unused",
    async (code, keepOut) => {
      const org = await orgAt(provider);
      const back = await redirectUriOf(org);
      const { sentTo, cookie } = await begin(org);
      await keepOut(org);
      const refused = await comeBack(back, provider.authorize(sentTo.href), { cookie });
      expect([refused.status, refused.headers.get("set-cookie")]).toEqual([403, null]);
      expect(await refused.text()).toContain(code);
      expect(provider.calls.filter((made) => made.startsWith("POST"))).toEqual([]);
    },
  );

  test("from an allowed address works as usual", async () => {
    const org = await orgAt(provider);
    const back = await redirectUriOf(org);
    await allowOnlyInside(org);
    const inside = { "cf-connecting-ip": INSIDE };
    const sent = await ask(`/sso/login?org=${org.id}`, inside);
    const cookie = sent.headers.get("set-cookie")?.split(";")[0] ?? "";
    const returned = provider.authorize(sent.headers.get("location") ?? "");
    expect((await comeBack(back, returned, { cookie, ...inside })).status).toBe(303);
  });

  test("that is refused while the provider responds creates no session", async () => {
    const org = await orgAt(provider);
    const back = await redirectUriOf(org);
    const { sentTo, cookie } = await begin(org);
    const returned = provider.authorize(sentTo.href);
    const { send } = provider;
    provider.send = async (request) => {
      if (request.method === "POST") await allowOnlyInside(org);
      return send(request);
    };
    const refused = await comeBack(back, returned, { cookie });
    expect([refused.status, refused.headers.get("set-cookie")]).toEqual([403, null]);
    const listed = await call("GET", `/v1/orgs/${org.id}/sessions`, { key: org.ownerKey, from: INSIDE });
    expect(listed.body.data).toEqual([]);
  });
});

test("support must satisfy the allow-list and the residency rule, and refusals are in the trail", async () => {
  const org = await newOrg();
  const body = { scope: "read_only", reason: "Ticket 1", expires_in_seconds: 600 };
  const grant = await call("POST", `/v1/orgs/${org.id}/support-grants`, { key: org.ownerKey, body });
  const opened = await call("POST", "/v1/admin/support-sessions", {
    key: env.SVC_OPERATOR_KEY,
    body: { grant_id: grant.body.id },
  });
  const { token } = opened.body as { token: string };
  const read = (from: string) => call("GET", `/v1/orgs/${org.id}`, { key: token, from });
  expect((await read(OUTSIDE)).status).toBe(200);
  await allowOnlyInside(org);
  expect((await read(OUTSIDE)).body.error.code).toBe("ip_not_allowed");
  expect((await read(INSIDE)).status).toBe(200);
  await keepOutOfHere(org);
  expect((await read(INSIDE)).body.error.code).toBe("residency_violation");
  await call("PUT", `/v1/orgs/${org.id}/residency`, {
    key: org.ownerKey,
    body: { regions: null },
    from: INSIDE,
  });
  const trail = await call("GET", `/v1/orgs/${org.id}/audit-log?action=support.request`, {
    key: org.ownerKey,
    from: INSIDE,
  });
  expect(trail.body.data.map((entry: { detail: { code: string } }) => entry.detail.code)).toEqual(
    expect.arrayContaining(["ip_not_allowed", "residency_violation"]),
  );
});
