import { type Miniflare, type Request, Response } from "miniflare";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundleWorker } from "../../scripts/bundle.ts";
import { migrateAll, migratorOf } from "../../scripts/migrating/migrator.ts";
import { plainMiniflare } from "../../scripts/plain-miniflare.ts";
import { claimPorts } from "../../scripts/ports.ts";
import { readWorkerConfig } from "../../scripts/worker-config.ts";
import { moduleFor } from "../../scripts/served-scripts.ts";
import { workersOf } from "../../scripts/workers.ts";
import { HOSTILE } from "../support/hostile-urls.ts";
import { HONEST } from "../web/saml/keys.ts";

/** The Worker with private addresses forbidden, on the test's own network: names, and who was called. */

/** Of each trick one. All of them are refused by the rule for addresses, which has its own tests. */
const TRICKS = Object.values(HOSTILE).flatMap((urls) => urls.slice(0, 1));
const OPERATOR = "svc_operator_for-tests-0123456789abcdefghij";
const names = new Map<string, readonly string[]>();
const called: string[] = [];
/** The metadata of identity providers. */
const descriptions = new Map<string, object>();
let miniflare: Miniflare;

/** Answers the runtime's DNS queries, and acts as every receiver. */
function network(request: Request): Response {
  const url = new URL(request.url);
  if (url.hostname !== "cloudflare-dns.com") {
    called.push(url.hostname);
    const description = descriptions.get(url.origin);
    return description === undefined ? new Response("ok") : Response.json(description);
  }
  const [name, type] = [url.searchParams.get("name") ?? "", url.searchParams.get("type")];
  const v6 = type === "AAAA";
  const addresses = (names.get(name) ?? []).filter((address) => address.includes(":") === v6);
  return Response.json({
    Status: names.has(name) ? 0 : 3,
    Question: [{ name, type: v6 ? 28 : 1 }],
    ...(addresses.length > 0 && {
      Answer: addresses.map((data) => ({ name, type: v6 ? 28 : 1, TTL: 1, data })),
    }),
  });
}

beforeAll(async () => {
  const config = readWorkerConfig();
  const ports = await claimPorts(0, 1);
  const settings = {
    ...(config.vars as Record<string, string>),
    SVC_KEY_PEPPER: "pepper-for-tests-0123456789abcdefghij",
    SVC_OPERATOR_KEY: OPERATOR,
    SVC_BASE_URL: "https://api.sluice.dev",
  };
  const script = await bundleWorker(config.main);
  const { workers } = workersOf(config, { script, settings, ports, isReady: () => true });
  const fenced = workers.map((worker) => ({ ...worker, outboundService: network }));
  miniflare = plainMiniflare({
    workers: [...fenced, await migratorOf(config, workers)],
    unsafeModuleFallbackService: moduleFor,
  });
  await miniflare.ready;
  await migrateAll(miniflare);
});
afterAll(() => miniflare.dispose());

/** As over https, because a Worker with this base URL answers nothing else. */
async function ask(method: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${OPERATOR}`, "content-type": "application/json" };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const answer = await miniflare.dispatchFetch(`https://api.sluice.dev${path}`, init);
  const text = await answer.text();
  return { status: answer.status, body: JSON.parse(text || "null") };
}

async function newOrg(): Promise<string> {
  return (await ask("POST", "/v1/admin/orgs", { name: "Acme", environment: "test" })).body.org.id as string;
}

describe("a delivery address", () => {
  test("is refused when created or changed, whatever the trick", async () => {
    const org = await newOrg();
    names.set("example.com", ["93.184.216.34"]);
    const good = await ask("POST", `/v1/orgs/${org}/webhooks`, {
      url: "https://example.com/",
      events: ["*"],
    });
    expect(good.status).toBe(201);
    const path = `/v1/orgs/${org}/webhooks/${good.body.id}`;
    for (const url of TRICKS) {
      const made = await ask("POST", `/v1/orgs/${org}/webhooks`, { url, events: ["*"] });
      const changed = await ask("PATCH", path, { url });
      for (const { status, body } of [made, changed]) {
        expect([url, status, body.error?.details.fields[0].field]).toEqual([url, 422, "url"]);
      }
    }
    expect((await ask("GET", path)).body.url).toBe("https://example.com/");
  });

  test("is refused when created if its name resolves to a private address, alone or among public ones", async () => {
    const org = await newOrg();
    names.set("inside.example.com", ["10.1.2.3"]);
    names.set("mixed.example.com", ["93.184.216.34", "fd00:ec2::254"]);
    for (const host of ["inside.example.com", "mixed.example.com"]) {
      const made = await ask("POST", `/v1/orgs/${org}/webhooks`, { url: `https://${host}/`, events: ["*"] });
      expect(made.body.error.details.fields).toMatchObject([{ field: "url" }]);
    }
  });

  test("is not called while its name resolves to a private address, and is called afterwards", async () => {
    const org = await newOrg();
    names.set("rebind.example.com", ["93.184.216.34"]);
    const made = await ask("POST", `/v1/orgs/${org}/webhooks`, {
      url: "https://rebind.example.com/hook",
      events: ["*"],
    });
    const path = `/v1/orgs/${org}/webhooks/${made.body.id}`;
    const advance = (seconds: number) =>
      ask("POST", `/v1/admin/orgs/${org}/test-clock`, { advance_seconds: seconds });
    const calls = () => called.filter((host) => host === "rebind.example.com").length;
    const latest = async () => (await ask("GET", `${path}/deliveries`)).body.data[0];
    await ask("POST", `${path}/test`);
    await advance(1);
    expect(await latest()).toMatchObject({ status: "succeeded" });
    expect(calls()).toBe(1);

    for (const [index, address] of ["10.0.0.7", "169.254.169.254", "::1"].entries()) {
      names.set("rebind.example.com", [address]);
      if (index === 0) await ask("POST", `${path}/test`);
      else await ask("POST", `${path}/deliveries/${(await latest()).id}/replay`);
      await advance(1);
      expect(await latest()).toMatchObject({
        status: "pending",

        error: "address_refused",
      });
    }
    names.delete("rebind.example.com");
    await ask("POST", `${path}/deliveries/${(await latest()).id}/replay`);
    await advance(1);
    expect(await latest()).toMatchObject({ status: "pending", error: "unresolved" });
    expect(calls()).toBe(1);

    names.set("rebind.example.com", ["93.184.216.34", "2606:2800:220:1::1"]);
    await ask("POST", `${path}/deliveries/${(await latest()).id}/replay`);
    await advance(1);
    expect(await latest()).toMatchObject({ status: "succeeded" });
    expect(calls()).toBe(2);
  });
});

describe("the address of an export's storage", () => {
  const body = (endpoint: string) => ({
    format: "ndjson",
    every: "hour",
    destination: {
      kind: "s3",
      endpoint,
      bucket: "runs",
      region: "auto",
      access_key_id: "k",
      secret_access_key: "s",
    },
  });

  test("is refused when set, whatever the trick", async () => {
    const org = await newOrg();
    names.set("inside.example.com", ["10.1.2.3"]);
    names.set("mixed.example.com", ["93.184.216.34", "fd00:ec2::254"]);
    const resolving = ["https://inside.example.com", "https://mixed.example.com"];
    for (const url of [...TRICKS, ...resolving]) {
      const { status, body: answer } = await ask("PUT", `/v1/orgs/${org}/exports/e`, body(url));
      const field = answer.error?.details.fields[0].field;
      expect([url, status, field]).toEqual([url, 422, "destination.endpoint"]);
    }
    expect((await ask("GET", `/v1/orgs/${org}/exports/e`)).status).toBe(404);
  });

  test("is not called while its name resolves to a private address, and is called afterwards", async () => {
    const org = await newOrg();
    const host = "storage.example.com";
    names.set(host, ["93.184.216.34"]);
    expect((await ask("PUT", `/v1/orgs/${org}/exports/e`, body(`https://${host}`))).status).toBe(200);
    const advance = (seconds: number) =>
      ask("POST", `/v1/admin/orgs/${org}/test-clock`, { advance_seconds: seconds });
    const shown = async () => (await ask("GET", `/v1/orgs/${org}/exports/e`)).body;
    names.set(host, ["169.254.169.254"]);
    await advance(3600);
    expect((await shown()).last_error).toBe("address_refused");
    names.delete(host);
    await advance(60);
    expect((await shown()).last_error).toBe("unresolved");
    expect(called).not.toContain(host);
    names.set(host, ["93.184.216.34"]);
    await advance(120);
    expect(await shown()).toMatchObject({ last_error: null, lag_seconds: 0 });
    expect(called).toContain(host);
  });
});

describe("an address of an identity provider", () => {
  const oidc = (issuer: string) => ({ kind: "oidc", issuer, client_id: "c", client_secret: "s" });
  const saml = (idp_sso_url: string) => ({
    kind: "saml",
    idp_entity_id: "https://idp.example.com",
    idp_sso_url,
    idp_certificate: HONEST.certificate,
  });
  const set = async (org: string, body: object) => ask("PUT", `/v1/orgs/${org}/sso`, body);
  const login = async (org: string) =>
    miniflare.dispatchFetch(`https://api.sluice.dev/sso/login?org=${org}`, { redirect: "manual" });

  test("is refused when set, whatever the trick", async () => {
    const org = await newOrg();
    names.set("inside.example.com", ["10.1.2.3"]);
    names.set("mixed.example.com", ["93.184.216.34", "fd00:ec2::254"]);
    const resolving = ["https://inside.example.com", "https://mixed.example.com/sso"];
    for (const url of [...TRICKS, ...resolving]) {
      const [byIssuer, bySsoUrl] = [await set(org, oidc(url)), await set(org, saml(url))];
      expect([url, byIssuer.status, byIssuer.body.error?.details.fields[0].field]).toEqual([
        url,
        422,
        "issuer",
      ]);
      expect([url, bySsoUrl.status, bySsoUrl.body.error?.details.fields[0].field]).toEqual([
        url,
        422,
        "idp_sso_url",
      ]);
    }
    expect((await ask("GET", `/v1/orgs/${org}/sso`)).status).toBe(404);
  });

  test("is not called once its name resolves to a private address", async () => {
    const org = await newOrg();
    const issuer = "https://login.example.com";
    names.set("login.example.com", ["93.184.216.34"]);
    descriptions.set(issuer, { issuer, authorization_endpoint: `${issuer}/authorize` });
    expect((await set(org, oidc(issuer))).status).toBe(200);
    const calls = () => called.filter((host) => host === "login.example.com").length;
    expect([(await login(org)).status, calls()]).toEqual([302, 1]);
    names.set("login.example.com", ["169.254.169.254"]);
    const refused = await login(org);
    expect([refused.status, refused.headers.get("location"), calls()]).toEqual([502, null, 1]);
  });

  test.each(["https://10.0.0.1/authorize", "https://metadata.google.internal/", "https://api.sluice.dev/"])(
    "that the provider itself names is refused too: no one is sent to %s",
    async (authorization_endpoint) => {
      const org = await newOrg();
      const issuer = "https://login.example.com";
      names.set("login.example.com", ["93.184.216.34"]);
      descriptions.set(issuer, { issuer, authorization_endpoint });
      await set(org, oidc(issuer));
      const refused = await login(org);
      expect([refused.status, refused.headers.get("location")]).toEqual([401, null]);
      expect(await refused.text()).toContain("address_refused");
    },
  );

  test.each(["https://10.0.0.1/token", "https://[fd00:ec2::254]/token"])(
    "that the provider names for its codes is not called: %s",
    async (token_endpoint) => {
      const org = await newOrg();
      const issuer = "https://login.example.com";
      names.set("login.example.com", ["93.184.216.34"]);
      descriptions.set(issuer, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint,
        jwks_uri: `${issuer}/keys`,
      });
      await set(org, oidc(issuer));
      const sent = await login(org);
      const state = new URL(sent.headers.get("location") ?? "").searchParams.get("state") ?? "";
      const cookie = sent.headers.get("set-cookie")?.split(";")[0] ?? "";
      const before = called.length;
      const back = `https://api.sluice.dev/sso/callback/${org}?${new URLSearchParams({ state, code: "c" })}`;
      const refused = await miniflare.dispatchFetch(back, { headers: { cookie }, redirect: "manual" });
      expect(refused.status).toBe(502);
      expect(called.slice(before)).toEqual(["login.example.com"]);
    },
  );
});
