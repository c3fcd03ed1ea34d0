import { describe, expect, test } from "vitest";
import { PLATFORM_ORG_ID } from "../../../src/contract/platform-org.ts";
import { mintOrgToken, tokenDigest } from "../../../src/domain/key/org-token.ts";
import type { CommandName } from "../../../src/org/command-handler.ts";
import { OPERATOR } from "../../support/backup.ts";
import { call, env, newOrg, operatorKey, serve, type TestOrg } from "../../support/worker.ts";

/** Signing in with an owner key, in a form that keeps none of it. */

let calls = 0;

class Visitor {
  readonly #address = `198.18.7.${(calls += 1)}`;
  cookies = "";

  get(path: string): Promise<Response> {
    return this.#send(path, {});
  }

  async signIn(
    key: string,
    more: { form?: object; headers?: Record<string, string>; at?: string; with?: string } = {},
  ) {
    const page = await this.get(more.at ?? "/console/login");
    const form = page.headers.get("set-cookie")?.split(";")[0] ?? "";
    this.cookies = more.with === undefined ? form : `${form}; ${more.with}`;
    const text = await page.text();
    const hidden = [...text.matchAll(/type="hidden" name="(_\w+|return_to)" value="([^"]*)"/g)];
    const fields = Object.fromEntries(hidden.map(([, name, value]) => [name, value]));
    const body = new URLSearchParams({ ...fields, key, ...more.form });
    return this.#send("/console/login", { method: "POST", body }, more.headers);
  }

  #send(path: string, init: RequestInit, more: Record<string, string> = {}): Promise<Response> {
    const headers = { "cf-connecting-ip": this.#address, cookie: this.cookies, ...more };
    return serve(`http://sluice.test${path}`, { redirect: "manual", headers, ...init });
  }
}

async function orgOf(cookie: string): Promise<string> {
  const own = await call("GET", "/v1/console/session", { headers: { cookie } });
  return own.body.org_id;
}

const sessionCookie = (answer: Response) =>
  /svc_session=[^;]+/.exec(answer.headers.get("set-cookie") ?? "")?.[0] ?? "";

describe("the sign-in form", () => {
  test("takes an owner key and returns to the page that was asked for", async () => {
    const org = await newOrg();
    const at = `/console/login?${new URLSearchParams({ return_to: "/console/keys" })}`;
    const answer = await new Visitor().signIn(org.ownerKey, { at });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/console/keys"]);
    expect(await orgOf(sessionCookie(answer))).toBe(org.id);
  });

  test("opens a new session, whatever session the browser has", async () => {
    const org = await newOrg();
    const visitor = new Visitor();
    const planted = sessionCookie(await visitor.signIn(org.ownerKey));
    expect(planted).not.toBe("");
    const opened = sessionCookie(await visitor.signIn(org.ownerKey, { with: planted }));
    expect([opened === "", opened === planted]).toEqual([false, false]);
  });

  test("repeats nothing of the key, and says why it does not sign in", async () => {
    const org = await newOrg();
    const viewer = await org.mint("viewer");
    const narrow = await org.mint("owner", { scopes: ["org:read", "org:write"] });
    const revoked = await revokedKey(org);
    const expected = [
      [viewer, 403, "Only an owner key"],
      [narrow, 403, "scope"],
      [revoked, 410, "revoked"],
      [`${org.ownerKey.slice(0, -1)}_`, 401, "not a valid API key"],
      ["", 401, "not a valid API key"],
      ["schlüssel", 401, "not a valid API key"],
    ] as const;
    for (const [key, status, text] of expected) {
      const answer = await new Visitor().signIn(key);
      const page = await answer.text();
      expect([key, answer.status, sessionCookie(answer)]).toEqual([key, status, ""]);
      expect(page).toContain(text);
      if (key !== "") expect(page).not.toContain(key);
    }
  });

  test("slows down guesses", async () => {
    const visitor = new Visitor();
    const statuses = new Set<number>();
    for (let tries = 0; tries < 12; tries++) statuses.add((await visitor.signIn(`svc_live_${tries}`)).status);
    expect([...statuses]).toEqual([401, 429]);
  });

  test("accepts nothing from another site, nor without the page it came from", async () => {
    const org = await newOrg();
    const refused = [
      { headers: { "sec-fetch-site": "cross-site" } },
      { headers: { origin: "https://evil.example" } },
      { headers: { cookie: "svc_form=planted" } },
      { form: { _csrf: "forged" } },
      { headers: { cookie: "" } },
    ];
    for (const more of refused) {
      const answer = await new Visitor().signIn(org.ownerKey, more);
      expect([more, answer.status, sessionCookie(answer)]).toEqual([more, 403, ""]);
    }
  });

  test("sends nobody to another site", async () => {
    const org = await newOrg();
    const answer = await new Visitor().signIn(org.ownerKey, { form: { return_to: "//evil.example" } });
    expect(answer.headers.get("location")).toBe("/console");
  });
});

describe("the platform's own organization", () => {
  const platform = `/v1/orgs/${PLATFORM_ORG_ID}`;
  const execute = (name: CommandName, input: object) =>
    env.ORG.getByName(PLATFORM_ORG_ID).execute(name, input, OPERATOR);

  test("is not entered with the operator key in the form of organizations", async () => {
    const answer = await new Visitor().signIn(operatorKey());
    const page = await answer.text();
    expect([answer.status, sessionCookie(answer)]).toEqual([403, ""]);
    expect(page).toContain("Sign in with it at /operator/login.");
    expect(page).not.toContain(operatorKey());
  });

  test("has no console links and no keys", async () => {
    const body = { name: "k", role: "owner" };
    for (const [path, sent] of [
      ["console-links", {}],
      ["keys", { body }],
    ] as const) {
      const { status, body: shown } = await call("POST", `${platform}/${path}`, {
        key: operatorKey(),
        ...sent,
      });
      expect([path, status, shown.error.code]).toEqual([path, 403, "forbidden"]);
      expect(shown.error.message).toContain("/operator/login");
    }
    expect((await call("GET", `${platform}/audit-log`, { key: operatorKey() })).status).toBe(200);
  });

  test("is not opened by keys, links and sessions that it was given before", async () => {
    const minted = await execute("mintKey", {
      name: "k",
      role: "owner",
      scopes: null,
      notBefore: null,
      expiresAt: null,
    });
    const { key } = JSON.parse((minted as { text: string }).text) as { key: string };
    expect((await call("GET", `${platform}/audit-log`, { key, from: "198.18.8.1" })).status).toBe(401);
    const [link, session, unused] = (["consoleLink", "session", "consoleLink"] as const).map((kind) =>
      mintOrgToken(env.SVC_KEY_PEPPER, kind, PLATFORM_ORG_ID),
    ) as [string, string, string];
    const digest = (token: string) => tokenDigest(env.SVC_KEY_PEPPER, token);
    for (const one of [link, unused]) await execute("createConsoleLink", { digest: digest(one), url: "" });
    const opened = { link: digest(link), id: "ses_before", digest: digest(session), region: "local" };
    expect(await execute("enterByLink", opened)).toMatchObject({ status: 201 });
    const cookie = `svc_session=${session}`;
    expect((await call("GET", "/v1/console/session", { headers: { cookie } })).status).toBe(401);
    const entered = await new Visitor().get(`/console/enter?${new URLSearchParams({ link: unused })}`);
    expect([entered.status, sessionCookie(entered)]).toEqual([401, ""]);
  });
});

async function revokedKey(org: TestOrg): Promise<string> {
  const body = { name: "Old", role: "owner" };
  const made = await call("POST", `/v1/orgs/${org.id}/keys`, { key: org.ownerKey, body });
  await call("DELETE", `/v1/orgs/${org.id}/keys/${made.body.id}`, { key: org.ownerKey });
  return made.body.key;
}

test("a browser that opens the root is led to the console, and nobody else is", async () => {
  const open = (accept: string, method = "GET") =>
    serve("http://sluice.test/", { method, headers: { accept }, redirect: "manual" });
  const led = await open("text/html,application/xhtml+xml");
  expect([led.status, led.headers.get("location")]).toEqual([303, "/console"]);
  expect((await open("application/json")).status).toBe(404);
  expect((await open("text/html", "POST")).status).toBe(404);
});

test("a session that ended says how to get back, and returns to the page", async () => {
  const headers = { cookie: "svc_session=ses_gone" };
  const answer = await serve("http://sluice.test/console/keys?status=active", { headers });
  const page = await answer.text();
  expect(answer.status).toBe(401);
  for (const way of ["owner key", "identity provider", "link"]) expect(page).toContain(way);
  const back = new URLSearchParams({ return_to: "/console/keys?status=active" }).toString();
  expect(page).toContain(back.replaceAll("&", "&amp;"));
});
