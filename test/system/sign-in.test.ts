import { inflateRawSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { CookieJar } from "../support/cookie-jar.ts";
import { atProvider, CLIENT, oidcProvider } from "../support/oidc-provider.ts";
import { call, newOrg, sharedServer, type SystemOrg } from "../support/server.ts";
import { HONEST } from "../web/saml/keys.ts";
import { CONNECTION, encoded, issue, type AssertionContent } from "../web/saml/provider.ts";

/** Signing in, from the browser's side, with real providers. */

const base = sharedServer().urls[0];

async function connect(org: SystemOrg, connection: object): Promise<void> {
  const put = await call("PUT", `/v1/orgs/${org.id}/sso`, { key: org.ownerKey, body: connection });
  expect(put.status).toBe(200);
}

async function whoIs(jar: CookieJar): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await jar.ask(`${base}/v1/console/session`);
  return { status: answer.status, body: await answer.json() };
}

const isCallback = (url: string) => url.startsWith(`${base}/sso/callback`);

describe("OpenID Connect", () => {
  async function begin(claims: Record<string, unknown> = {}) {
    const org = await newOrg();
    const orgId = org.id;
    const issuer = await oidcProvider(`${base}/sso/callback/${orgId}`, claims);
    await connect(org, { kind: "oidc", issuer, ...CLIENT });
    const login = `${base}/sso/login?${new URLSearchParams({ org: orgId, return_to: "/console/runs?model=a" })}`;
    return { orgId, login };
  }

  test("a person signs in with their provider, and returns to the page they wanted", async () => {
    const { orgId, login } = await begin({ svc_role: "admin" });
    const jar = new CookieJar();
    const back = await atProvider(jar, login, "ada", isCallback);
    const entered = await jar.ask(back);
    expect([entered.status, entered.headers.get("location")]).toEqual([303, "/console/runs?model=a"]);
    expect(entered.headers.get("set-cookie")).toMatch(/^svc_session=.*HttpOnly; SameSite=Lax/);
    const { status, body } = await whoIs(jar);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      org_id: orgId,
      role: "admin",
      user: { name: "Ada Lovelace", email: "ada@example.com", subject: "ada" },
    });
    expect((await jar.ask(`${base}/console/runs`)).status).toBe(200);
  });

  test("a person without a role from the provider gets the lowest one", async () => {
    const { login } = await begin({ svc_role: "emperor" });
    const jar = new CookieJar();
    await jar.ask(await atProvider(jar, login, "eve", isCallback));
    expect((await whoIs(jar)).body).toMatchObject({ role: "viewer" });
  });

  test("a return works once, and only in the browser that was sent away", async () => {
    const { login } = await begin();
    const [jar, stranger] = [new CookieJar(), new CookieJar()];
    const back = await atProvider(jar, login, "ada", isCallback);
    const stolen = await stranger.ask(back);
    expect([stolen.status, stolen.headers.get("set-cookie")]).toEqual([401, null]);
    const fresh = new CookieJar();
    const own = await atProvider(fresh, login, "ada", isCallback);
    expect((await fresh.ask(own)).status).toBe(303);
    const again = await fresh.ask(own);
    expect([again.status, again.headers.getSetCookie()]).toEqual([401, []]);
  });

  test.each([
    ["a state of its own making", (url: URL) => url.searchParams.set("state", "guess")],
    ["no state", (url: URL) => url.searchParams.delete("state")],
    ["a code of its own making", (url: URL) => url.searchParams.set("code", "guess")],
    ["another issuer", (url: URL) => url.searchParams.set("iss", "https://evil.example")],
  ])("a return with %s creates no session", async (_, change) => {
    const { login } = await begin();
    const jar = new CookieJar();
    const back = new URL(await atProvider(jar, login, "ada", isCallback));
    change(back);
    const refused = await jar.ask(back.href);
    expect([refused.status, refused.headers.get("content-type")]).toEqual([401, "text/html; charset=utf-8"]);
    expect((await whoIs(jar)).status).toBe(401);
  });

  test("an org without single sign-on, and one that does not exist, get the same response", async () => {
    const org = await newOrg();
    for (const id of [org.id, "org_01ARZ3NDEKTSV4RRFFQ69G5FAV", "nonsense"]) {
      const answer = await fetch(`${base}/sso/login?org=${id}`, { redirect: "manual" });
      expect([id, answer.status, answer.headers.get("content-type")]).toEqual([
        id,
        404,
        "text/html; charset=utf-8",
      ]);
    }
  });
});

describe("SAML", () => {
  async function begin() {
    const { id: org, ownerKey } = await newOrg();
    await connect(
      { id: org, ownerKey },
      {
        kind: "saml",
        idp_entity_id: CONNECTION.idpEntityId,
        idp_sso_url: CONNECTION.idpSsoUrl,
        idp_certificate: HONEST.certificate,
      },
    );
    const jar = new CookieJar();
    const sent = await jar.ask(`${base}/saml/${org}/login?return_to=/console/keys`);
    const asked = new URL(sent.headers.get("location") ?? "").searchParams;
    const request = inflateRawSync(Buffer.from(asked.get("SAMLRequest") ?? "", "base64")).toString();
    const id = /ID="([^"]+)"/.exec(request)?.[1] ?? "";
    const acsUrl = `${base}/saml/${org}/acs`;
    const told = (lies: Partial<AssertionContent>): Partial<AssertionContent> => ({
      audience: `${base}/saml/${org}/metadata`,
      recipient: acsUrl,
      destination: acsUrl,
      startsMs: Date.now() - 1000,
      endsMs: Date.now() + 60_000,
      ...lies,
    });
    const answer = async (
      lies: Partial<AssertionContent> = {},
      by = jar,
      RelayState = asked.get("RelayState") ?? "",
    ) => by.ask(acsUrl, { SAMLResponse: encoded(await issue(id, told(lies))), RelayState });
    return { org, jar, answer };
  }

  test("a person signs in with their provider, and returns to the page they wanted", async () => {
    const { org, jar, answer } = await begin();
    const entered = await answer();
    expect([entered.status, entered.headers.get("location")]).toEqual([303, "/console/keys"]);
    expect((await whoIs(jar)).body).toMatchObject({
      org_id: org,
      role: "viewer",
      user: { subject: "ada@example.com" },
    });
  });

  test("a response works once", async () => {
    const { jar, answer } = await begin();
    expect((await answer()).status).toBe(303);
    const again = await answer({}, jar);
    expect([again.status, again.headers.getSetCookie()]).toEqual([401, []]);
  });

  test.each([
    ["in another browser", (go: Awaited<ReturnType<typeof begin>>) => go.answer({}, new CookieJar())],
    ["without what was sent along", (go: Awaited<ReturnType<typeof begin>>) => go.answer({}, go.jar, "")],
    ["unsigned", (go: Awaited<ReturnType<typeof begin>>) => go.answer({ sign: "nothing" })],
    [
      "for another audience",
      (go: Awaited<ReturnType<typeof begin>>) => go.answer({ audience: "https://other.example" }),
    ],
    [
      "that has expired",
      (go: Awaited<ReturnType<typeof begin>>) => go.answer({ endsMs: Date.now() - 600_000 }),
    ],
    [
      "to another request",
      (go: Awaited<ReturnType<typeof begin>>) => go.answer({ subjectTo: "_other", responseTo: "_other" }),
    ],
  ])("a response %s creates no session", async (_, post) => {
    const go = await begin();
    const refused = await post(go);
    expect([refused.status, refused.headers.get("content-type")]).toEqual([401, "text/html; charset=utf-8"]);
    expect((await whoIs(go.jar)).status).toBe(401);
  });

  test("the metadata identifies this service to the provider", async () => {
    const org = await newOrg();
    const answer = await fetch(`${base}/saml/${org.id}/metadata`);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([
      200,
      "application/samlmetadata+xml; charset=utf-8",
    ]);
    expect(await answer.text()).toContain(`Location="${base}/saml/${org.id}/acs"`);
  });
});

test.each([
  "//evil.example",
  "https://evil.example",
  "/\\evil.example",
  "/.//evil.example",
  "javascript:alert(1)",
])("a return to %s stays on this origin", async (target) => {
  const page = await fetch(`${base}/console/login?return_to=${encodeURIComponent(target)}`);
  expect(await page.text()).not.toContain("evil.example");
  const org = await newOrg();
  const orgId = org.id;
  await connect(org, {
    kind: "oidc",
    issuer: await oidcProvider(`${base}/sso/callback/${orgId}`),
    ...CLIENT,
  });
  const jar = new CookieJar();
  const login = `${base}/sso/login?${new URLSearchParams({ org: orgId, return_to: target })}`;
  const entered = await jar.ask(await atProvider(jar, login, "ada", isCallback));
  expect(entered.headers.get("location")).toBe("/console");
});
