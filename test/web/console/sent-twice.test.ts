import { runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { PAGES } from "../../../src/web/console/pages/routes.ts";
import { VIEWS_PATH } from "../../../src/web/console/view/saved-views.tsx";
import { aRun } from "../../support/ledger.ts";
import { type Browser, signedIn } from "../../support/session.ts";
import { call, env, newOrg, type TestOrg } from "../../support/worker.ts";
import { HONEST } from "../saml/keys.ts";
import { AUDIT_ROWS } from "../../support/logs.ts";

/** A filled-in form: its fields, and what the `:id` of its path names. */
interface Filled {
  readonly fields?: Record<string, string>;
  readonly ids?: Record<string, string>;
}

type Fill = (org: TestOrg) => Filled | Promise<Filled>;

async function make(org: TestOrg, path: string, body: object): Promise<string> {
  const made = await call("POST", `/v1/orgs/${org.id}/${path}`, { key: org.ownerKey, body });
  if (made.status !== 201) throw new Error(`nothing was made: ${made.text}`);
  return made.body.id;
}

/** Creates something with the API, for a form of the console to change. */
const on =
  (path: string, body: object, fields: Record<string, string> = {}): Fill =>
  async (org) => ({ ids: { id: await make(org, path, body) }, fields });

const BUDGET = { scope_kind: "org", limit_usd: "5", period: "day", mode: "enforce" };
const LIMIT = { customer_id: "globex", limit_usd: "5", period: "day" };
const PACK = { customer_id: "globex", amount_usd: "5" };
const PRICE = { input_usd_per_mtok: "3", output_usd_per_mtok: "15" };
const RULE = { target: "model", effect: "deny", when: "false", reason: "No" };
const HOOK = { url: "http://127.0.0.1:9/a", events: "key.*" };
const GRANT = { scope: "read_only", reason: "Help", expires_in_seconds: 3600 };
const KEY = { name: "Proxy", role: "viewer" };
const INCREASE = { amount: "5", until: tomorrow().slice(0, 16), reason: "Launch" };
const FALLBACK = { name: "cheaper", "match.model": "large", then: "small", budget_share: "0.9" };
const DIGEST = { every: "week", at: "09:00", timezone: "Europe/Berlin" };
const EXPORT = { format: "csv", every: "hour", "destination.kind": "bucket" };
const hook = { ...HOOK, events: ["key.*"] };

function tomorrow(): string {
  return new Date(Date.now() + 86_400_000).toISOString();
}

async function increased(org: TestOrg): Promise<Filled> {
  const id = await make(org, "budgets", BUDGET);
  const increase = await make(org, `budgets/${id}/increases`, { ...INCREASE, until: tomorrow() });
  return { ids: { id, increase } };
}

async function exported(org: TestOrg): Promise<Filled> {
  const { format, every } = EXPORT;
  await set(org, "exports/warehouse", { format, every, destination: { kind: "bucket" } });
  return { ids: { id: "warehouse" }, fields: { ...EXPORT, every: "day" } };
}

async function digested(org: TestOrg): Promise<Filled> {
  await set(org, "digests/weekly", { ...DIGEST, to: [] });
  return { ids: { id: "weekly" }, fields: { ...DIGEST, at: "10:00" } };
}

async function priced(org: TestOrg): Promise<Filled> {
  await call("PUT", `/v1/orgs/${org.id}/models/m1`, { key: org.ownerKey, body: PRICE });
  return { ids: { id: "m1" }, fields: { ...PRICE, input_usd_per_mtok: "4" } };
}

async function asked(org: TestOrg): Promise<Filled> {
  await make(org, "policy-rules", { ...RULE, effect: "require_approval", when: "true" });
  const run = await call("POST", "/v1/runs", { key: org.ownerKey, body: aRun() });
  return { ids: { id: run.body.error.details.approval_id } };
}

async function delivered(org: TestOrg): Promise<Filled> {
  const id = await make(org, "webhooks", hook);
  const ping = await call("POST", `/v1/orgs/${org.id}/webhooks/${id}/test`, { key: org.ownerKey });
  return { ids: { id, delivery: ping.body.id } };
}

async function set(org: TestOrg, path: string, body: object): Promise<Filled> {
  await call("PUT", `/v1/orgs/${org.id}/${path}`, { key: org.ownerKey, body });
  return {};
}

const FORMS: Readonly<Record<string, Fill>> = {
  "/console/budgets": () => ({ fields: { ...BUDGET, _sure: "yes" } }),
  "/console/budgets/:id": on("budgets", BUDGET, { ...BUDGET, limit_usd: "6" }),
  "/console/budgets/:id/count-earlier": on("budgets", BUDGET),
  "/console/budgets/:id/delete": on("budgets", BUDGET),
  "/console/budgets/:id/increase": on("budgets", BUDGET, INCREASE),
  "/console/budgets/:id/increases/:increase/revoke": increased,
  "/console/customer-limits": () => ({ fields: LIMIT }),
  "/console/customer-limits/:id": on("customer-limits", LIMIT, { limit_usd: "6", period: "day" }),
  "/console/customer-limits/:id/delete": on("customer-limits", LIMIT),
  "/console/customers/:customer_id": () => ({
    ids: { customer_id: "globex" },
    fields: { name: "Globex", "revenue.markup": "0.3" },
  }),
  "/console/customers/:customer_id/tokens": () => ({
    ids: { customer_id: "globex" },
    fields: { ttl_seconds: "900" },
  }),
  "/console/packs": () => ({ fields: PACK }),
  "/console/packs/:id/void": on("credit-packs", PACK),
  "/console/models": () => ({ fields: { model: "acme/m1", ...PRICE } }),
  "/console/models/:id": priced,
  "/console/models/:id/delete": priced,
  "/console/evals": () => ({
    fields: { suite: "answers", model: "acme/m1", score: "0.9", samples: "100", run_at: "2026-11-01T00:00" },
  }),
  "/console/policies": () => ({ fields: RULE }),
  "/console/policies/:id": on("policy-rules", RULE, { ...RULE, reason: "Never" }),
  "/console/policies/:id/delete": on("policy-rules", RULE),
  "/console/approvals/:id/approve": asked,
  "/console/approvals/:id/deny": asked,
  "/console/keys": () => ({ fields: KEY }),
  "/console/keys/:id/rotate": on("keys", KEY, { grace_seconds: "60" }),
  "/console/keys/:id/revoke": on("keys", KEY),
  "/console/webhooks": () => ({ fields: HOOK }),
  "/console/webhooks/:id": on("webhooks", hook, { ...HOOK, status: "disabled" }),
  "/console/webhooks/:id/test": on("webhooks", hook),
  "/console/webhooks/:id/rotate": on("webhooks", hook, { grace_seconds: "60" }),
  "/console/webhooks/:id/recover": on("webhooks", hook, { since: "2026-11-01T00:00" }),
  "/console/webhooks/:id/delete": on("webhooks", hook),
  "/console/webhooks/:id/deliveries/:delivery/replay": delivered,
  "/console/people/:id/revoke": async (org) => ({
    ids: { id: (await signedIn(org.id, "viewer")).sessionId },
  }),
  "/console/support": () => ({ fields: { ...GRANT, expires_in_seconds: "3600" } }),
  "/console/support/:id/close": on("support-grants", GRANT),
  "/console/limits/spend-cap": () => ({ fields: { cap_usd: "9" } }),
  "/console/limits/spend-cap/delete": (org) => set(org, "spend-cap", { cap_usd: "9" }),
  "/console/limits/chain-budget": () => ({ fields: { max_depth: "4" } }),
  "/console/limits/chain-budget/delete": (org) => set(org, "chain-budget", { max_depth: 4 }),
  "/console/routing/policy": () => ({
    fields: {
      candidates: "acme/m1",
      prefer: "best",
      "eval_gate.suite": "answers",
      "eval_gate.min_score": "0.9",
      "eval_gate.min_samples": "100",
      "eval_gate.max_age_days": "30",
    },
  }),
  "/console/fallbacks": () => ({ fields: FALLBACK }),
  "/console/fallbacks/:id/delete": async (org) => {
    await set(org, "fallbacks/cheaper", { match: { model: "m" }, then: [{ model: "n" }], on: ["limit"] });
    return { ids: { id: "cheaper" } };
  },
  "/console/provider-keys": () => ({ fields: { provider: "openai/eu", secret: "sk-0123456789" } }),
  "/console/provider-keys/:id/delete": async (org) => {
    await set(org, "provider-keys/openai", { secret: "sk-0123456789" });
    return { ids: { id: "openai" } };
  },
  "/console/exports": () => ({ fields: { name: "warehouse", ...EXPORT } }),
  "/console/exports/:id": exported,
  "/console/exports/:id/delete": exported,
  "/console/digests": () => ({ fields: { name: "weekly", ...DIGEST } }),
  "/console/digests/:id": digested,
  "/console/digests/:id/delete": digested,
  "/console/safety/try": () => ({ fields: { input: "ada@example.com" } }),
  "/console/safety/detectors": () => ({ fields: { "builtin-email": "block" } }),
  "/console/benchmarks/profile": () => ({ fields: { contributing: "on" } }),
  "/console/data/retention": () => ({ fields: { runs_days: "30", audit_days: "400", deliveries_days: "9" } }),
  "/console/data/residency": () => ({ fields: { regions: "local" } }),
  "/console/sso/oidc": () => ({
    fields: {
      issuer: "https://login.example.com",
      client_id: "a",
      client_secret: "b",
      default_role: "viewer",
    },
  }),
  "/console/sso/saml": () => ({
    fields: {
      idp_entity_id: "https://login.example.com",
      idp_sso_url: "https://login.example.com/saml",
      idp_certificate: HONEST.certificate,
      default_role: "viewer",
    },
  }),
  "/console/settings/org": () => ({ fields: { name: "Renamed", ip_allow_list: "" } }),
};

/** Saved views are the browser's: whoever is signed in may save them, and nothing is done to the org. */
const routes = PAGES.flatMap(([method, path]) =>
  method === "POST" && !path.startsWith(VIEWS_PATH) ? [path] : [],
);

test("every form of the console is tried here", () => {
  expect(Object.keys(FORMS).toSorted()).toEqual(routes.toSorted());
});

/** Everything that is done to an org is in its trail; so is each reading of the trail, which some pages show. A query checkpoints the log first, so that the table has all of it. */
async function trailOf(org: TestOrg): Promise<number> {
  await call("GET", `/v1/orgs/${org.id}/budgets`, { key: org.ownerKey });
  return runInDurableObject(
    env.ORG.getByName(org.id),
    (_object, { storage }) =>
      storage.sql.exec<{ n: number }>(`SELECT COUNT(*) AS n FROM ${AUDIT_ROWS} WHERE outcome <> 'read'`).one()
        .n,
  );
}

const withoutTokens = (text: string) => text.replaceAll(/name="_once" value="[^"]*"|ask-[-0-9a-f]+/g, "");

async function shown(answer: Response): Promise<[number, string | null, string]> {
  return [answer.status, answer.headers.get("location"), withoutTokens(await answer.text())];
}

async function fill(path: string): Promise<{
  org: TestOrg;
  browser: Browser;
  send: () => Promise<Response>;
  sendAs: (other: Browser) => Promise<Response>;
}> {
  const org = await newOrg();
  const browser = await signedIn(org.id);
  const { fields = {}, ids = {} } = (await FORMS[path]?.(org)) ?? {};
  const concrete = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(ids[name] ?? ""));
  const once = crypto.randomUUID();
  const sendAs = (other: Browser, named = crypto.randomUUID()) =>
    other.post(concrete, { ...fields, _once: named });
  return { org, browser, send: () => sendAs(browser, once), sendAs };
}

/** Forms that only ask. */
const ASKING = ["/console/safety/try"];

describe("a form is not for viewers, and acts once and shows the same result twice if it is sent twice", () => {
  test.for(routes)("%s", async (path) => {
    const { org, send, sendAs } = await fill(path);
    const viewer = await signedIn(org.id, "viewer");
    const before = await trailOf(org);
    expect([path, (await sendAs(viewer)).status]).toEqual([path, 403]);
    expect([path, await trailOf(org)]).toEqual([path, before]);
    const acts = ASKING.includes(path) ? 0 : 1;
    const first = await shown(await send());
    expect([path, first[0] < 400, (await trailOf(org)) - before]).toEqual([path, true, acts]);
    expect(await shown(await send())).toEqual(first);
    expect((await trailOf(org)) - before).toBe(acts);
  });

  test("even at the same moment", async () => {
    const { org, send } = await fill("/console/limits/spend-cap");
    const before = await trailOf(org);
    const [one, other] = await Promise.all([send(), send()]);
    expect(await shown(one)).toEqual(await shown(other));
    expect((await trailOf(org)) - before).toBe(1);
  });
});

test("a repeated form does not undo a later change", async () => {
  const { org, browser, send } = await fill("/console/limits/spend-cap");
  await send();
  await browser.post("/console/limits/spend-cap", { cap_usd: "20" });
  await send();
  const cap = await call("GET", `/v1/orgs/${org.id}/spend-cap`, { key: org.ownerKey });
  expect(cap.body.cap_usd).toBe("20.00");
});

test("a form repeated with other content changes nothing, and says what to do", async () => {
  const { org, browser } = await fill("/console/limits/spend-cap");
  const _once = crypto.randomUUID();
  await browser.post("/console/limits/spend-cap", { cap_usd: "20", _once });
  const refused = await browser.post("/console/limits/spend-cap", { cap_usd: "30", _once });
  const text = await refused.text();
  expect([
    refused.status,
    text.includes("already sent with other content"),
    text.includes('value="30"'),
  ]).toEqual([409, true, true]);
  const cap = await call("GET", `/v1/orgs/${org.id}/spend-cap`, { key: org.ownerKey });
  expect(cap.body.cap_usd).toBe("20.00");
});

test.for([[""], ["a b"], ["😀"], ["x".repeat(256)]])(
  "a form without its idempotency key changes nothing: %s",
  async ([_once = ""]) => {
    const org = await newOrg();
    const browser = await signedIn(org.id);
    const before = await trailOf(org);
    expect((await browser.post("/console/limits/spend-cap", { cap_usd: "9", _once })).status).toBe(403);
    expect(await trailOf(org)).toBe(before);
  },
);

test("an API caller's idempotency key is honoured only where the contract says so", async () => {
  const org = await newOrg();
  const headers = { "idempotency-key": "the-same" };
  const put = (cap_usd: string) =>
    call("PUT", `/v1/orgs/${org.id}/spend-cap`, { key: org.ownerKey, body: { cap_usd }, headers });
  expect([(await put("1")).status, (await put("2")).status]).toEqual([200, 200]);
});
