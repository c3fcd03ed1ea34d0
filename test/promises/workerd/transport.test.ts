import { createExecutionContext } from "cloudflare:test";
import { expect, test } from "vitest";
import worker from "../../../src/index.ts";
import oneWorker from "../../../src/one-worker.ts";
import { answerOf } from "../../support/answer.ts";
import { env, newOrg, operatorKey } from "../../support/worker.ts";
import { useRealLives } from "../../support/lives.ts";

useRealLives();

/** The same Worker with the base URL https://api.sluice.dev. */
const known = { ...env, SVC_BASE_URL: "https://api.sluice.dev" };

async function ask(url: string, init: RequestInit = {}, under: object = known) {
  const request = new Request(url, { redirect: "manual", ...init }) as Parameters<typeof worker.fetch>[0];
  return answerOf(await worker.fetch(request, under as typeof env, createExecutionContext()));
}

const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });

/** As a client sends it, with its length. */
function decide(scheme: string, key: string) {
  const body = JSON.stringify({ model: "acme/m1", estimate: { cost_usd: "0.01" } });
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    "content-length": String(body.length),
  };
  return ask(`${scheme}://api.sluice.dev/v1/edge/decision`, { method: "POST", headers, body });
}

test.each(["/v1/admin/orgs", "/v1/meta/errors", "/v1/nowhere", "/healthz", "/metrics", "/nowhere"])(
  "%s over plain http is refused with the envelope, and not redirected",
  async (path) => {
    const refused = await ask(`http://api.sluice.dev${path}`, bearer(operatorKey()));
    expect([refused.status, refused.body.error]).toEqual([
      400,
      { code: "bad_request", message: expect.stringContaining("https://api.sluice.dev"), details: {} },
    ]);
    expect(refused.headers.get("location")).toBeNull();
    expect(refused.headers.get("strict-transport-security")).toBeNull();
  },
);

test.each(["/console", "/console/login", "/sso/login?org=x", "/saml/x/login", "/docs"])(
  "%s over plain http is refused with a page, and not redirected",
  async (path) => {
    const refused = await ask(`http://api.sluice.dev${path}`);
    expect([refused.status, refused.headers.get("content-type")]).toEqual([400, "text/html; charset=utf-8"]);
    expect(refused.text).toContain("https://api.sluice.dev");
    expect(refused.headers.get("location")).toBeNull();
  },
);

test("a plain http request does nothing: no write, and no decision in an isolate that knows the key", async () => {
  const org = await newOrg();
  for (let n = 0; n < 3; n++) expect((await decide("https", org.ownerKey)).status).toBe(200);
  expect((await decide("https", org.ownerKey)).headers.get("x-svc-decided")).toBe("edge");
  expect((await decide("http", org.ownerKey)).body.error.code).toBe("bad_request");
  const renamed = await ask(`http://api.sluice.dev/v1/orgs/${org.id}`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${org.ownerKey}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "Renamed" }),
  });
  expect(renamed.status).toBe(400);
  const read = await ask(`https://api.sluice.dev/v1/orgs/${org.id}`, bearer(org.ownerKey));
  expect(read.body.name).toBe("Acme");
});

test("the proxy's routes of the single Worker are refused over plain http, and say so over https", async () => {
  const asked = async (scheme: string, path: string) => {
    const init = { method: "POST", headers: bearer(operatorKey()).headers, body: "{}" };
    const request = new Request(`${scheme}://api.sluice.dev${path}`, init) as Parameters<
      typeof worker.fetch
    >[0];
    const under = { ...known, PROXY_ORGS: "*" } as typeof env;
    return answerOf(await oneWorker.fetch(request, under, createExecutionContext()));
  };
  for (const path of ["/openai/v1/chat/completions", "/anthropic/v1/messages", "/nobody/x"]) {
    const refused = await asked("http", path);
    expect([refused.status, refused.body.error]).toMatchObject([
      400,
      { code: "bad_request", message: expect.stringContaining("https://api.sluice.dev") },
    ]);
  }
  const known401 = await asked("https", "/openai/v1/chat/completions");
  expect([known401.status, known401.headers.get("strict-transport-security")]).toEqual([
    401,
    "max-age=31536000",
  ]);
});

test("every https response tells browsers to stay on https", async () => {
  const org = await newOrg();
  const paths = [
    "/v1/meta/errors",
    "/v1/nowhere",
    "/healthz",
    "/docs",
    "/console",
    "/console/login",
    "/sso/x",
  ];
  for (const path of paths) {
    const { headers } = await ask(`https://api.sluice.dev${path}`);
    expect([path, headers.get("strict-transport-security")]).toEqual([path, "max-age=31536000"]);
  }
  for (let n = 0; n < 3; n++) {
    const decided = await decide("https", org.ownerKey);
    expect([decided.status, decided.headers.get("strict-transport-security")]).toEqual([
      200,
      "max-age=31536000",
    ]);
  }
});

test("a server with a plain http base URL serves as usual, and says nothing about https", async () => {
  const served = await ask("http://127.0.0.1:8787/v1/admin/orgs", bearer(operatorKey()), env);
  expect([served.status, served.headers.get("strict-transport-security")]).toEqual([200, null]);
});
