import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Server, startServer } from "../../scripts/server.ts";
import { newId } from "../../src/domain/bytes/ulid.ts";
import { makeFolder } from "../support/folder.ts";
import { http } from "../support/http.ts";
import { HONEST } from "../web/saml/keys.ts";

const SECRETS = {
  SVC_KEY_PEPPER: "pepper-for-tests-0123456789abcdefghij",
  SVC_OPERATOR_KEY: "svc_operator_for-tests-0123456789abcdefghij",
};
const IDP = {
  idp_entity_id: "https://idp.example",
  idp_sso_url: "https://idp.example/sso",
  idp_certificate: HONEST.certificate,
};
const operator = { key: SECRETS.SVC_OPERATOR_KEY };

describe("people and support in two regions", () => {
  let server: Server;
  let eu: string;
  let us: string;
  const folder = makeFolder();
  beforeAll(async () => {
    server = await startServer({ port: 0, dataDir: folder.path, regions: ["eu", "us"], settings: SECRETS });
    [eu, us = ""] = server.urls;
  });
  afterAll(async () => {
    await server.dispose();
    folder.remove();
  });

  async function newOrg(): Promise<{ id: string; key: string }> {
    const body = { name: "Acme", home_region: "eu" };
    const made = await http("POST", `${eu}/v1/admin/orgs`, { ...operator, body });
    return { id: made.body.org.id, key: made.body.owner_key };
  }

  /** Signs in through a region, with the link of a local server. */
  async function signIn(base: string, orgId: string): Promise<{ cookie: string }> {
    const answer = await fetch(server.signInLink(orgId, base), { redirect: "manual" });
    return { cookie: answer.headers.get("set-cookie")?.split(";")[0] ?? "" };
  }

  const page = async (address: string, headers: { cookie: string }) => {
    const answer = await fetch(address, { headers, redirect: "manual" });
    return { status: answer.status, text: await answer.text() };
  };

  async function post(address: string, headers: { cookie: string }, fields: object): Promise<Response> {
    const { text } = await page(`${new URL(address).origin}/console/budgets`, headers);
    const _csrf = /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? "";
    const body = new URLSearchParams({ _csrf, _once: crypto.randomUUID(), ...fields });
    return fetch(address, { method: "POST", headers, body, redirect: "manual" });
  }

  test.each(["home", "the other region"])(
    "a session opened in %s is valid in both, and ends in both when revoked",
    async (where) => {
      const org = await newOrg();
      const cookie = await signIn(where === "home" ? eu : us, org.id);
      const own = await http("GET", `${us}/v1/console/session`, { headers: cookie });
      expect([own.status, own.body.org_id]).toEqual([200, org.id]);
      for (const base of [eu, us]) expect((await page(`${base}/console`, cookie)).status).toBe(200);
      const listed = await http("GET", `${us}/v1/orgs/${org.id}/sessions`, { key: org.key });
      expect(listed.body.data).toHaveLength(1);
      await http("DELETE", `${eu}/v1/orgs/${org.id}/sessions/${own.body.id}`, { key: org.key });
      for (const base of [eu, us]) {
        const over = await http("GET", `${base}/v1/console/session`, { headers: cookie });
        expect([over.status, over.body.error.code]).toEqual([401, "session_revoked"]);
        expect((await page(`${base}/console`, cookie)).status).toBe(401);
      }
    },
  );

  /** Of orgs, in both regions. */
  function objects(): string[] {
    const files = readdirSync(server.folder.state, { recursive: true, encoding: "utf8" });
    return files.filter((file) => /OrgObject.*[0-9a-f]{64}\.sqlite$/.test(file)).toSorted();
  }

  test("an org that does not exist gets no object in any region when somebody wants to sign in to it", async () => {
    const { id } = await newOrg();
    const before = objects();
    expect(before.length).toBeGreaterThan(0);
    const statuses = new Set<number>();
    for (const base of [eu, us]) {
      for (const path of [(org: string) => `/sso/login?org=${org}`, (org: string) => `/saml/${org}/login`]) {
        statuses.add((await page(base + path(newId("org", Date.now())), { cookie: "" })).status);
      }
    }
    expect(statuses.size).toBe(1);
    expect(objects()).toEqual(before);
    // One without single sign-on cannot be told from one that does not exist.
    for (const base of [eu, us]) {
      statuses.add((await page(`${base}/sso/login?org=${id}`, { cookie: "" })).status);
    }
    expect(statuses.size).toBe(1);
  });

  test("people sign in to their org through either region", async () => {
    const org = await newOrg();
    const body = { kind: "saml", ...IDP };
    const set = await http("PUT", `${eu}/v1/orgs/${org.id}/sso`, { key: org.key, body });
    expect(set.status).toBe(200);
    for (const base of [eu, us]) {
      const answer = await fetch(`${base}/saml/${org.id}/login`, { redirect: "manual" });
      expect(answer.headers.get("location")).toMatch(/^https:\/\/idp\.example\/sso\?/);
    }
  });

  test("a form sent in the other region changes the org at home", async () => {
    const org = await newOrg();
    const cookie = await signIn(us, org.id);
    const fields = { scope_kind: "org", limit_usd: "5", period: "month", mode: "enforce", _sure: "yes" };
    expect((await post(`${us}/console/budgets`, cookie, fields)).status).toBe(303);
    const listed = await http("GET", `${eu}/v1/orgs/${org.id}/budgets`, { key: org.key });
    expect(listed.body.data).toMatchObject([{ limit_usd: "5.00" }]);
  });

  test("a rule that keeps an org out of a region keeps its pages out too", async () => {
    const org = await newOrg();
    const cookie = await signIn(us, org.id);
    await http("PUT", `${eu}/v1/orgs/${org.id}/residency`, { key: org.key, body: { regions: ["eu"] } });
    const kept = await page(`${us}/console/budgets`, cookie);
    expect([kept.status, kept.text]).toEqual([403, expect.stringContaining("residency_violation")]);
    expect((await page(`${eu}/console/budgets`, cookie)).status).toBe(200);
  });

  test("a page about data that only the home's database has says where that is", async () => {
    const org = await newOrg();
    const cookie = await signIn(us, org.id);
    expect((await page(`${us}/console/benchmarks`, cookie)).text).toContain("Cohorts are in eu");
    expect((await page(`${eu}/console/benchmarks`, cookie)).text).not.toContain("Cohorts are in eu");
  });

  const GRANT = { scope: "billing_read", reason: "Ticket 1", expires_in_seconds: 600 };

  test.each(["by key in the other region", "in the console of the other region", "at home"])(
    "under a grant opened %s, support gets in through either region, is audited, and is out of both afterwards",
    async (how) => {
      const org = await newOrg();
      if (how === "in the console of the other region") {
        await post(`${us}/console/support`, await signIn(us, org.id), {
          ...GRANT,
          expires_in_seconds: "600",
        });
      } else {
        const base = how === "at home" ? eu : us;
        await http("POST", `${base}/v1/orgs/${org.id}/support-grants`, { key: org.key, body: GRANT });
      }
      const grants = await http("GET", `${us}/v1/orgs/${org.id}/support-grants`, { key: org.key });
      const grantId = grants.body.data[0].id as string;
      const tokens: string[] = [];
      for (const base of [eu, us]) {
        const body = { grant_id: grantId };
        const opened = await http("POST", `${base}/v1/admin/support-sessions`, { ...operator, body });
        expect(opened.status).toBe(201);
        tokens.push(opened.body.token);
      }
      for (const key of tokens) {
        expect((await http("GET", `${us}/v1/orgs/${org.id}`, { key })).status).toBe(200);
        const outside = await http("POST", `${us}/v1/orgs/${org.id}/keys`, { key, body: {} });
        expect(outside.body.error.code).toBe("support_scope_denied");
      }
      await http("DELETE", `${us}/v1/orgs/${org.id}/support-grants/${grantId}`, { key: org.key });
      for (const [at, key] of tokens.entries()) {
        expect((await http("GET", `${at === 0 ? us : eu}/v1/orgs/${org.id}`, { key })).status).toBe(410);
      }
      const trail = await http("GET", `${eu}/v1/orgs/${org.id}/audit-log?action=support.request`, {
        key: org.key,
      });
      const outcomes = trail.body.data.map((entry: { detail: { status: number } }) => entry.detail.status);
      expect(outcomes.toSorted()).toEqual([200, 200, 403, 403, 410, 410]);
    },
  );

  test("a grant that no region knows is not found anywhere", async () => {
    const body = { grant_id: "grt_01ARZ3NDEKTSV4RRFFQ69G5FAV" };
    for (const base of [eu, us]) {
      expect((await http("POST", `${base}/v1/admin/support-sessions`, { ...operator, body })).status).toBe(
        404,
      );
    }
  });
});
