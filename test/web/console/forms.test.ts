import { describe, expect, test } from "vitest";
import { newSpender } from "../../support/ledger.ts";
import { signedIn } from "../../support/session.ts";
import { call, newOrg, operatorKey, type TestOrg } from "../../support/worker.ts";

/** Each form of the console against its operation: what it changes, and how it is refused. */

function read(org: TestOrg, path: string) {
  return call("GET", `/v1/orgs/${org.id}${path}`, { key: org.ownerKey });
}

async function visitor() {
  const org = await newOrg();
  return { org, browser: await signedIn(org.id) };
}

describe("lists with their forms", () => {
  test("a customer limit is created, changed and deleted", async () => {
    const { org, browser } = await visitor();
    await browser.post("/console/customer-limits", { customer_id: "globex", limit_usd: "5", period: "day" });
    const [limit] = (await read(org, "/customer-limits")).body.data;
    expect(limit).toMatchObject({ customer_id: "globex", limit_usd: "5.00", period: "day" });
    const form = await (await browser.get(`/console/customer-limits/${limit.id}`)).text();
    expect(form).toContain('value="5.00"');
    expect(form).toMatch(/<option value="day" selected/);
    const saved = await browser.post(`/console/customer-limits/${limit.id}`, {
      limit_usd: "7",
      period: "week",
    });
    expect(saved.headers.get("location")).toBe(`/console/customer-limits/${limit.id}?notice=saved`);
    expect((await read(org, `/customer-limits/${limit.id}`)).body).toMatchObject({
      limit_usd: "7.00",
      period: "week",
    });
    await browser.post(`/console/customer-limits/${limit.id}/delete`, {});
    expect((await read(org, "/customer-limits")).body.data).toEqual([]);
  });

  test("a budget that matches calls is created with every field, and changed", async () => {
    const { org, browser } = await visitor();
    const form = await (await browser.get("/console/budgets/new")).text();
    for (const name of ["match.user_id", "match.tags", "group_by", "unit", "timezone", "anchor_day"]) {
      expect(form).toContain(`name="${name}"`);
    }
    await browser.post("/console/budgets", {
      scope_kind: "",
      "match.model": "gpt-*, o3",
      "match.tags": "team=search, team = ads,env=prod",
      group_by: "user_id, tag:team",
      unit: "tokens",
      limit_usd: "5000",
      period: "month",
      timezone: "Europe/Berlin",
      anchor_day: "15",
    });
    const [budget] = (await read(org, "/budgets")).body.data;
    expect(budget).toMatchObject({
      match: { model: ["gpt-*", "o3"], tags: { team: ["search", "ads"], env: ["prod"] } },
      group_by: ["user_id", "tag:team"],
      unit: "tokens",
      limit: 5000,
      timezone: "Europe/Berlin",
      anchor_day: 15,
    });
    const changed = { limit: "6000", period: "week", timezone: "Asia/Tokyo", anchor_day: "" };
    await browser.post(`/console/budgets/${budget.id}`, changed);
    expect((await read(org, `/budgets/${budget.id}`)).body).toMatchObject({
      limit: 6000,
      period: "week",
      timezone: "Asia/Tokyo",
      anchor_day: null,
    });
    const page = await (await browser.get(`/console/budgets/${budget.id}`)).text();
    expect(page).toContain("<li>Timezone: Asia/Tokyo</li>");
    await browser.post("/console/budgets", {
      scope_kind: "",
      group_by: "user_id",
      limit_usd: "5",
      period: "day",
    });
    const all = (await read(org, "/budgets")).body.data as { match: object | null }[];
    expect(all.map(({ match }) => match)).toContainEqual({});
  });

  test.each([
    ["match-model", { "match.model": "a*b" }],
    ["match-tags", { "match.tags": "team" }],
    ["match-tags", { "match.tags": "Team=a" }],
    ["group_by", { group_by: "outcome" }],
    ["limit_usd", { unit: "tokens", limit_usd: "1.5" }],
    ["limit_usd", { limit_usd: "" }],
    ["timezone", { timezone: "Mars/Base" }],
    ["anchor_day", { anchor_day: "29" }],
    ["anchor_day", { period: "day", anchor_day: "2" }],
    ["scope_kind", { scope_kind: "org", "match.model": "m" }],
    ["group_by", { scope_kind: "org", group_by: "user_id" }],
  ])("a budget's form names the error at %s, and keeps what was typed", async (id, fields) => {
    const { browser } = await visitor();
    const refused = await browser.post("/console/budgets", {
      name: "Kept",
      scope_kind: "",
      limit_usd: "5",
      period: "month",
      ...fields,
    });
    const page = await refused.text();
    expect([refused.status, page.includes(`id="${id}-error"`)]).toEqual([422, true]);
    expect(page).toContain('value="Kept"');
  });

  test("a limit for every customer is listed without its own figures", async () => {
    const { browser } = await visitor();
    await browser.post("/console/customer-limits", { customer_id: "*", limit_usd: "5", period: "day" });
    const page = await (await browser.get("/console/customer-limits")).text();
    expect(page).toContain("Every other customer");
    expect(page).not.toContain("NaN");
  });

  test("a credit pack is granted with the start and end from its form in UTC, and voided", async () => {
    const { org, browser } = await visitor();
    const pack = { customer_id: "initech", amount_usd: "75", priority: "3", expires_at: "2099-01-01T12:30" };
    await browser.post("/console/packs", pack);
    const [made] = (await read(org, "/credit-packs")).body.data;
    expect(made).toMatchObject({
      amount_usd: "75.00",
      priority: 3,
      expires_at: "2099-01-01T12:30:00.000Z",
      status: "live",
    });
    await browser.post(`/console/packs/${made.id}/void`, {});
    expect((await read(org, `/credit-packs/${made.id}`)).body.status).toBe("voided");
    expect(await (await browser.get("/console/packs")).text()).not.toContain(`/packs/${made.id}/void`);
  });

  test("a credit pack that has expired cannot be voided", async () => {
    const org = await newSpender();
    const list = async () => (await (await signedIn(org.id)).get("/console/packs")).text();
    const expires_at = new Date(Date.now() + 86_400_000).toISOString();
    const { body: pack } = await org.send("POST", "credit-packs", {
      customer_id: "initech",
      amount_usd: "75",
      expires_at,
    });
    expect(await list()).toContain(`/packs/${pack.id}/void`);
    await org.advance(2 * 86_400);
    const expired = await list();
    expect(expired).toContain("expired");
    expect(expired).not.toContain(`/packs/${pack.id}/void`);
  });

  test("a model is priced under its own name, including the slash, and a missing name is refused next to its field", async () => {
    const { org, browser } = await visitor();
    const price = { input_usd_per_mtok: "3", output_usd_per_mtok: "15", regions: "eu, us" };
    await browser.post("/console/models", { model: "acme/m1", ...price });
    expect((await read(org, "/models/acme%2Fm1")).body).toMatchObject({ regions: ["eu", "us"] });
    await browser.post("/console/models/acme%2Fm1", { ...price, input_usd_per_mtok: "4", regions: "" });
    expect((await read(org, "/models/acme%2Fm1")).body).toMatchObject({
      input_usd_per_mtok: "4.00",
      regions: null,
    });
    const refused = await browser.post("/console/models", { model: "", ...price });
    expect(refused.status).toBe(422);
    expect(await refused.text()).toContain('id="model-error"');
  });

  test("a model's page says where its price comes from, what a call costs and what it cost before", async () => {
    const { org, browser } = await visitor();
    const terms = {
      input_usd_per_mtok: "3",
      output_usd_per_mtok: "15",
      tiers: [{ above_input_tokens: 200_000, input_usd_per_mtok: "6", cache_read_usd_per_mtok: "0.6" }],
      units: { web_search: "0.01" },
      variants: { batch: "0.5" },
    };
    await call("PUT", `/v1/orgs/${org.id}/models/m`, { key: org.ownerKey, body: terms });
    const list = await (await browser.get("/console/models")).text();
    expect(list).toContain("your organization");
    expect(list).toContain("$0.0105");
    const changed = { input_usd_per_mtok: "4", output_usd_per_mtok: "15", cache_read_usd_per_mtok: "0.4" };
    await browser.post("/console/models/m", changed);
    expect((await read(org, "/models/m")).body).toMatchObject({
      cache_read_usd_per_mtok: "0.40",
      tiers: [{ above_input_tokens: 200_000, input_usd_per_mtok: "6.00", cache_read_usd_per_mtok: "0.60" }],
      units: { web_search: "0.01" },
      variants: { batch: "0.5" },
    });
    const page = await (await browser.get("/console/models/m")).text();
    for (const shown of [
      "$0.0115",
      "above 200,000 input tokens",
      "one web search",
      "0.5 times the rates",
      "History",
    ]) {
      expect(page).toContain(shown);
    }
    expect(page.match(/>past</g)).toHaveLength(1);
    expect(page.match(/>current</g)).toHaveLength(1);
  });

  test("a price of the platform is shown as such, and cannot be deleted", async () => {
    const { org, browser } = await visitor();
    const model = { model: "console-shared", input_usd_per_mtok: "1", output_usd_per_mtok: "2" };
    await call("PUT", "/v1/admin/price-book", { key: operatorKey(), body: { models: [model] } });
    const usage = { input_tokens: 1, output_tokens: 1 };
    const run = { started_at: new Date().toISOString(), model: "console-shared", usage };
    expect((await call("POST", "/v1/runs", { key: org.ownerKey, body: run })).status).toBe(201);
    const list = await (await browser.get("/console/models")).text();
    expect(list).toContain("console-shared");
    const page = await (await browser.get("/console/models/console-shared")).text();
    expect(page).toContain(">platform<");
    expect(page).not.toContain("/console/models/console-shared/delete");
    await call("PUT", "/v1/admin/price-book", { key: operatorKey(), body: { models: [] } });
  });

  test("a webhook is changed and disabled on its own page", async () => {
    const { org, browser } = await visitor();
    const body = { url: "https://hooks.example.com/a", events: ["budget.*"] };
    const made = await call("POST", `/v1/orgs/${org.id}/webhooks`, { key: org.ownerKey, body });
    const fields = { url: body.url, events: "key.*", description: "Pager", status: "disabled" };
    await browser.post(`/console/webhooks/${made.body.id}`, fields);
    expect((await read(org, `/webhooks/${made.body.id}`)).body).toMatchObject({
      events: ["key.*"],
      status: "disabled",
    });
  });

  test("a key is rotated with a grace period, and its page lists its scopes", async () => {
    const { org, browser } = await visitor();
    const old = await org.mint("viewer");
    const [{ id }] = (await read(org, "/keys")).body.data.filter(
      (key: { role: string }) => key.role === "viewer",
    );
    expect(await (await browser.get(`/console/keys/${id}`)).text()).toContain("budgets:read");
    const rotated = await browser.post(`/console/keys/${id}/rotate`, { grace_seconds: "3600" });
    const key = /svc_live_[0-9A-Za-z_]+/.exec(await rotated.text())?.[0] ?? "";
    for (const bearer of [old, key]) {
      expect((await call("GET", `/v1/orgs/${org.id}`, { key: bearer })).status).toBe(200);
    }
  });
});

describe("settings", () => {
  test("a routing policy is saved, with its gate, and the page says what it would choose and why", async () => {
    const { org, browser } = await visitor();
    const fields = {
      candidates: "acme/m1 acme/m2",
      prefer: "best",
      "eval_gate.suite": "answers",
      "eval_gate.min_score": "0.9",
      "eval_gate.min_samples": "100",
      "eval_gate.max_age_days": "30",
    };
    await browser.post("/console/routing/policy", fields);
    expect((await read(org, "/routing-policy")).body).toMatchObject({
      candidates: ["acme/m1", "acme/m2"],
      eval_gate: { suite: "answers", min_score: 0.9 },
    });
    expect(await (await browser.get("/console/routing")).text()).toContain("no_model_passes_eval");
    const refused = await browser.post("/console/routing/policy", { ...fields, "eval_gate.min_score": "7" });
    expect(refused.status).toBe(422);
    const text = await refused.text();
    expect(text).toContain('id="policy-eval_gate-min_score-error"');
    expect(text).toContain('value="7"');
  });

  test("detectors are switched on and off, and a bad pattern is refused next to its field", async () => {
    const { org, browser } = await visitor();
    const own = { "own-0-id": "lantern", "own-0-action": "shadow", "own-0-pattern": "lantern" };
    await browser.post("/console/safety/detectors", { "builtin-email": "block", ...own });
    expect((await read(org, "/content-safety")).body.detectors).toEqual([
      { id: "email", kind: "builtin", action: "block" },
      { id: "lantern", kind: "pattern", pattern: "lantern", action: "shadow" },
    ]);
    const bad = { "own-1-id": "bad", "own-1-action": "block", "own-1-pattern": "(" };
    const refused = await browser.post("/console/safety/detectors", { ...own, ...bad });
    expect(refused.status).toBe(422);
    expect(await refused.text()).toContain('id="detectors-own-1-pattern-error"');
    await browser.post("/console/safety/detectors", { "own-0-id": "", "own-0-pattern": "" });
    expect((await read(org, "/content-safety")).body.detectors).toEqual([]);
  });

  test("retention and residency are saved, and an empty list of regions lifts the rule", async () => {
    const { org, browser } = await visitor();
    const days = { runs_days: "30", audit_days: "400", deliveries_days: "9" };
    await browser.post("/console/data/retention", { ...days, legal_hold: "on" });
    expect((await read(org, "/retention-policy")).body).toMatchObject({ runs_days: 30, legal_hold: true });
    await browser.post("/console/data/retention", days);
    expect((await read(org, "/retention-policy")).body.legal_hold).toBe(false);
    await browser.post("/console/data/residency", { regions: "local" });
    expect((await read(org, "/residency")).body.regions).toEqual(["local"]);
    await browser.post("/console/data/residency", { regions: "" });
    expect((await read(org, "/residency")).body.regions).toBeNull();
  });

  test("the org is renamed, and an emptied allow-list is empty", async () => {
    const { org, browser } = await visitor();
    await browser.post("/console/settings/org", { name: "Renamed", ip_allow_list: "203.0.113.7" });
    const from = "198.51.100.1";
    const elsewhere = await call("GET", `/v1/orgs/${org.id}`, { key: org.ownerKey, from });
    expect(elsewhere.body.error.code).toBe("ip_not_allowed");
    await browser.post("/console/settings/org", { name: "Renamed", ip_allow_list: "" });
    expect((await read(org, "")).body).toMatchObject({ name: "Renamed", ip_allow_list: [] });
  });

  test("the daily cap and the chain budget are set and removed", async () => {
    const { org, browser } = await visitor();
    await browser.post("/console/limits/spend-cap", { cap_usd: "9", timezone: "" });
    expect((await read(org, "/spend-cap")).body).toMatchObject({ cap_usd: "9.00", timezone: "UTC" });
    await browser.post("/console/limits/spend-cap/delete", {});
    expect((await read(org, "/spend-cap")).status).toBe(404);
    await browser.post("/console/limits/chain-budget", { max_depth: "4" });
    expect((await read(org, "/chain-budget")).body).toMatchObject({ max_depth: 4, max_cost_usd: null });
    const empty = await browser.post("/console/limits/chain-budget", {});
    expect([empty.status, await empty.text()]).toEqual([422, expect.stringContaining("at least one of")]);
  });

  test("contributing to benchmarks is one checkbox", async () => {
    const { org, browser } = await visitor();
    await browser.post("/console/benchmarks/profile", { contributing: "on" });
    expect((await read(org, "/benchmark-profile")).body.contributing).toBe(true);
  });

  test("a read-only role sees the setting, disabled, and which role can change it", async () => {
    const org = await newOrg();
    const browser = await signedIn(org.id, "viewer");
    const text = await (await browser.get("/console/safety")).text();
    expect(text).toContain("<fieldset disabled");
    expect(text).toContain("you need the role admin");
    const forced = await browser.post("/console/safety/detectors", { "builtin-email": "block" });
    expect(forced.status).toBe(403);
  });

  test("a read-only role is refused, however the form is filled in", async () => {
    const browser = await signedIn((await newOrg()).id, "viewer");
    const price = { input_usd_per_mtok: "3", output_usd_per_mtok: "15" };
    for (const model of ["", "acme/m1"]) {
      const refused = await browser.post("/console/models", { model, ...price });
      expect([model, refused.status]).toEqual([model, 403]);
      expect(await refused.text()).toContain("does not allow this");
    }
  });
});

test("an owner reads the rate limits that the operator set, and the default if there are none", async () => {
  const { org, browser } = await visitor();
  const own = () => read(org, "/rate-limits");
  expect((await own()).body).toEqual({
    read_rpm: null,
    effective_read_rpm: 600,
    read_used: expect.any(Number),
    policies: [],
  });
  const policy = {
    name: "spikes",
    match: { customer_id: "*" },
    unit: "requests",
    limit: 5000,
    window_seconds: 7200,
    kind: "rate",
  };
  const body = { read_rpm: 50, policies: [policy] };
  await call("PUT", `/v1/admin/orgs/${org.id}/rate-limits`, { key: operatorKey(), body });
  expect((await own()).body).toMatchObject({ read_rpm: 50, effective_read_rpm: 50, policies: [policy] });
  const text = await (await browser.get("/console/rate-limits")).text();
  expect(text).toContain("2 hours");
  expect(text).toContain("per customer");
});
