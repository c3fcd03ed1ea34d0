import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { filesUnder, foundSecrets } from "../../../scripts/chaos/found-secrets.ts";
import { type Caller, callerAt, type ServerFixture, serverFixture } from "../../support/server.ts";

/**
 * Secrets go through every route, and none may be found afterwards in the log or in the databases. The routes, and
 * which of them return or accept a secret, come from the API's own description, so a new one is included automatically.
 */

interface Described {
  readonly properties?: Record<string, unknown>;
  readonly oneOf?: readonly Described[];
  readonly anyOf?: readonly Described[];
  readonly $ref?: string;
}
interface Content {
  readonly content?: Record<string, { readonly schema: Described }>;
}
interface ApiDescription {
  readonly paths: Record<
    string,
    Record<string, { requestBody?: Content; responses: Record<string, Content> }>
  >;
  readonly components: { readonly schemas: Record<string, Described> };
}
interface Route {
  readonly method: string;
  readonly path: string;
  readonly body: Described | undefined;
  readonly replies: readonly Described[];
}

/** `fetch` sends no body with these. */
const WITHOUT_BODY = new Set(["GET", "HEAD"]);
const SECRET_FIELD = /^(key|owner_key|token|input|secret_access_key)$|secret$/;

let fixture: ServerFixture;
let call: Caller;
let operator: string;
let routes: readonly Route[];
const secrets = new Map<string, string>();

/** A secret of a unique form, recorded with where it was sent. */
function canary(where: string): string {
  const secret = `canary${randomBytes(24).toString("hex")}`;
  secrets.set(secret, where);
  return secret;
}

/** Each call has its own address, because this is not about back-off. */
let calls = 0;
function fresh(): Record<string, string> {
  calls += 1;
  return { "cf-connecting-ip": `198.18.${calls >> 8}.${calls & 255}` };
}

beforeAll(async () => {
  fixture = await serverFixture({ settings: { SVC_WEBHOOK_ALLOW_PRIVATE: "true" } });
  call = callerAt(fixture.server.urls[0]);
  operator = fixture.server.settings["SVC_OPERATOR_KEY"] ?? "";
  routes = routesOf((await call("GET", "/v1/openapi.json")).body);
  return () => fixture.end();
});

function routesOf({ paths, components }: ApiDescription): Route[] {
  const shapeOf = (content: Content | undefined): Described | undefined => {
    const shape = content?.content?.["application/json"]?.schema;
    return shape?.$ref === undefined ? shape : components.schemas[shape.$ref.split("/").at(-1) ?? ""];
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { requestBody, responses }]) => ({
      method: method.toUpperCase(),
      path,
      body: shapeOf(requestBody),
      replies: Object.entries(responses)
        .filter(([status]) => status.startsWith("2"))
        .flatMap(([, reply]) => shapeOf(reply) ?? []),
    })),
  );
}

const name = (route: Pick<Route, "method" | "path">): string => `${route.method} ${route.path}`;
const hasSecret = (shape: Described | undefined): boolean =>
  Object.entries(shape?.properties ?? {}).some(
    ([field, inner]) => SECRET_FIELD.test(field) || hasSecret(inner as Described),
  ) || [...(shape?.oneOf ?? []), ...(shape?.anyOf ?? [])].some(hasSecret);

/** Where a secret is in plain text. */
const found = (): string[] =>
  foundSecrets(secrets, () => [fixture.server.folder.log, ...filesUnder(fixture.server.folder.state)]);

describe("no secret stays behind", () => {
  test("that a caller puts where it does not belong, on any route, whoever calls", async () => {
    const made = await call("POST", "/v1/admin/orgs", { key: operator, body: { name: "Canary" } });
    const { org, owner_key: owner } = made.body as { org: { id: string }; owner_key: string };
    for (const route of routes) {
      const path = route.path.replace(/\{(id|org_id)\}/, org.id).replaceAll(/\{\w+\}/g, "none");
      for (const key of [canary(`${name(route)}: key`), owner, operator]) {
        const headers = { ...fresh(), cookie: `svc_session=${canary(`${name(route)}: cookie`)}` };
        const query = `?api_key=${canary(`${name(route)}: query`)}`;
        await call(route.method, `${path}${query}`, { key, headers });
        if (WITHOUT_BODY.has(route.method)) continue;
        const body = { password: canary(`${name(route)}: unknown field`) };
        await call(route.method, path, { key, headers, body });
        await call(route.method, path, { key, headers, text: `{"password": "${body.password}` });
      }
    }
    expect(secrets.size).toBeGreaterThan(routes.length * 3);
    expect(found()).toEqual([]);
  });

  test("that the service hands out or is given, on every route that does so", async () => {
    const tried = new Set<string>();
    /** Calls a route as intended, twice, because the stored replay must be encrypted too. */
    const use = async (route: string, path: string, key: string, body: object) => {
      const [method = ""] = route.split(" ");
      tried.add(route);
      const options = { key, body, headers: { ...fresh(), "idempotency-key": `once ${route}` } };
      const answer = await call(method, path, options);
      expect(`${route} ${answer.status} ${answer.status > 201 ? answer.text : ""}`).toMatch(/ 20[01] $/);
      await call(method, path, options);
      for (const [field, value] of Object.entries(answer.body as object)) {
        if (SECRET_FIELD.test(field) && typeof value === "string") secrets.set(value, `${route}: ${field}`);
      }
      return answer.body;
    };
    const { org, owner_key: owner } = await use("POST /v1/admin/orgs", "/v1/admin/orgs", operator, {
      name: "C",
    });
    const at = `/v1/orgs/${org.id}`;
    const minted = await use("POST /v1/orgs/{id}/keys", `${at}/keys`, owner, { name: "k", role: "admin" });
    await use("POST /v1/orgs/{id}/keys/{key_id}/rotate", `${at}/keys/${minted.id}/rotate`, owner, {});
    const hook = { url: "http://127.0.0.1:9/hook", events: ["*"] };
    const webhook = await use("POST /v1/orgs/{id}/webhooks", `${at}/webhooks`, owner, hook);
    const slack = canary("POST /v1/orgs/{id}/webhooks: url of Slack");
    const messages = { format: "slack", url: `http://127.0.0.1:9/services/${slack}`, events: ["*"] };
    const hooked = await call("POST", `${at}/webhooks`, { key: owner, body: messages });
    expect(hooked.status).toBe(201);
    await call("POST", `${at}/webhooks/${hooked.body.id}/test`, { key: owner });
    const routing_key = canary("POST /v1/orgs/{id}/webhooks: routing_key").replaceAll(/[^A-Za-z0-9]/g, "");
    secrets.set(routing_key, "POST /v1/orgs/{id}/webhooks: routing_key");
    const paged = { format: "pagerduty", url: "http://127.0.0.1:9/v2/enqueue", routing_key, events: ["*"] };
    expect((await call("POST", `${at}/webhooks`, { key: owner, body: paged })).status).toBe(201);
    const signing = `${at}/webhooks/${webhook.id}/signing/rotate`;
    await use("POST /v1/orgs/{id}/webhooks/{sub_id}/signing/rotate", signing, owner, {});
    const secretPath = "/v1/admin/orgs/{org_id}/webhook-secret/rotate";
    const bare = await call("POST", "/v1/admin/orgs", { key: operator, body: { name: "D" } });
    const orgSecret = secretPath.replace("{org_id}", bare.body.org.id);
    await use(`POST ${secretPath}`, orgSecret, operator, {});
    const run = {
      started_at: "2026-01-01T00:00:00Z",
      model: "acme/m1",
      usage: { input_tokens: 1, output_tokens: 1 },
      cost_usd: "0.01",
    };
    await use("POST /v1/runs", "/v1/runs", owner, { ...run, input: canary("POST /v1/runs: input") });
    const input = canary("POST /v1/runs/bulk: input");
    await use("POST /v1/runs/bulk", "/v1/runs/bulk", owner, { runs: [{ ...run, input }] });
    const asked = { checks: "all", model: "acme/m1", estimate: { cost_usd: "0.01" }, request_id: "canary" };
    const scanned = { ...asked, input: canary("POST /v1/edge/decision: input") };
    await use("POST /v1/edge/decision", "/v1/edge/decision", owner, scanned);
    const explained = { ...asked, input: canary("POST /v1/orgs/{id}/explain: input") };
    await use("POST /v1/orgs/{id}/explain", `${at}/explain`, owner, { ask: explained });
    const tested = { input: canary("POST /v1/orgs/{id}/content-safety/evaluate: input") };
    await use("POST /v1/orgs/{id}/content-safety/evaluate", `${at}/content-safety/evaluate`, owner, tested);
    const leased = { ...asked, input: canary("POST /v1/edge/leases: input") };
    const report = { attempt: 1, touches: [], batches: [], wants: [], watch: ["k"] };
    const exchange = { version: 1, holder: "gate-of-a-canary", ids: 1, ask: leased, report };
    await use("POST /v1/edge/leases", "/v1/edge/leases", owner, exchange);
    const tokens = "/v1/orgs/{id}/customers/{customer_id}/tokens";
    await use(`POST ${tokens}`, `${at}/customers/c/tokens`, owner, { ttl_seconds: 60 });
    await signInWithLinks(
      await use("POST /v1/orgs/{id}/console-links", `${at}/console-links`, owner, {}),
      owner,
    );
    const sso = { kind: "oidc", issuer: "https://idp.example", client_id: "c" };
    const client_secret = canary("PUT /v1/orgs/{id}/sso: client_secret");
    await use("PUT /v1/orgs/{id}/sso", `${at}/sso`, owner, { ...sso, client_secret });
    const destination = {
      kind: "s3",
      endpoint: "http://127.0.0.1:9",
      bucket: "canary",
      region: "auto",
      access_key_id: "c",
      secret_access_key: canary("PUT /v1/orgs/{id}/exports/{name}: secret_access_key"),
    };
    const exported = { format: "csv", every: "hour", destination };
    await use("PUT /v1/orgs/{id}/exports/{name}", `${at}/exports/canary`, owner, exported);
    const header = canary("PUT /v1/orgs/{id}/exports/{name}: headers");
    await use("PUT /v1/orgs/{id}/exports/{name}", `${at}/exports/canary-spans`, owner, {
      destination: { kind: "otlp", endpoint: "http://127.0.0.1:9", headers: { authorization: header } },
    });
    const secret = canary("PUT /v1/orgs/{id}/provider-keys/{provider}: secret");
    const headers = { "x-team": canary("PUT /v1/orgs/{id}/provider-keys/{provider}: headers") };
    await use("PUT /v1/orgs/{id}/provider-keys/{provider}", `${at}/provider-keys/openai`, owner, {
      secret,
      headers,
    });
    const wish = { scope: "read_only", reason: "a look", expires_in_seconds: 600 };
    const grant = await call("POST", `${at}/support-grants`, { key: owner, body: wish });
    const sessions = "/v1/admin/support-sessions";
    await use(`POST ${sessions}`, sessions, operator, { grant_id: grant.body.id });
    const needed = routes.filter((route) => hasSecret(route.body) || route.replies.some(hasSecret));
    expect(needed.length).toBeGreaterThan(5);
    expect(needed.map(name).filter((route) => !tried.has(route))).toEqual([]);
    expect(found()).toEqual([]);
  });

  /** A link that is followed twice, and a key in the form, also under a wrong form token. */
  async function signInWithLinks({ url }: { url: string }, owner: string): Promise<void> {
    const link = new URL(url);
    secrets.set(link.searchParams.get("link") ?? "", "POST /v1/orgs/{id}/console-links: url");
    const base = fixture.server.urls[0];
    const open = (path: string, init: RequestInit) => fetch(base + path, { redirect: "manual", ...init });
    for (const status of [303, 401]) {
      expect((await open(link.pathname + link.search, { headers: fresh() })).status).toBe(status);
    }
    const page = await open("/console/login", { headers: fresh() });
    const cookie = page.headers.get("set-cookie")?.split(";")[0] ?? "";
    const token = /name="_csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";
    for (const _csrf of ["wrong", token]) {
      const body = new URLSearchParams({ key: owner, _csrf, _once: "1" });
      const headers = { ...fresh(), cookie };
      const answer = await open("/console/login", { method: "POST", headers, body });
      expect([answer.status, (await answer.text()).includes(owner)]).toEqual([
        _csrf === token ? 303 : 403,
        false,
      ]);
    }
  }

  test("of the service itself", () => {
    for (const setting of ["SVC_OPERATOR_KEY", "SVC_KEY_PEPPER"]) {
      secrets.set(fixture.server.settings[setting] ?? "", setting);
    }
    expect(found()).toEqual([]);
  });

  test("and the search would find one", async () => {
    const planted = canary("an org's name");
    await call("POST", "/v1/admin/orgs", { key: operator, body: { name: planted } });
    expect(found().join()).toContain("an org's name in");
    secrets.delete(planted);
  });
});
