import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Sluice } from "../../src/client/index.ts";
import { call, newOrg, sharedServer, type SystemOrg } from "../support/server.ts";
import { type CommandAt, type CommandRan, sluiceCommand } from "../support/sluice-command.ts";
import { PATIENCE_MS } from "../support/patience.ts";

const NOTHING = "Nothing would change.\n";

function at(org: SystemOrg, file = "", more: Partial<CommandAt> = {}): CommandAt {
  return { url: sharedServer().urls[0], key: org.ownerKey, files: { "sluice.yaml": file }, ...more };
}
const asOperator = (more: Partial<CommandAt> = {}): Partial<CommandAt> => ({
  key: sharedServer().operatorKey,
  ...more,
});

const exported = async (org: SystemOrg): Promise<string> => {
  const { code, out, error } = await sluiceCommand(["export"], at(org));
  expect([code, error]).toEqual([0, ""]);
  return out;
};
const plan = (org: SystemOrg, file: string, ...more: string[]): Promise<CommandRan> =>
  sluiceCommand(["plan", "-f", "sluice.yaml", ...more], at(org, file));
const apply = (org: SystemOrg, file: string, ...more: string[]): Promise<CommandRan> =>
  sluiceCommand(["apply", "-f", "sluice.yaml", "--yes", ...more], at(org, file));

const put = async (org: SystemOrg, path: string, body: object, method = "PUT"): Promise<void> => {
  const { status, text } = await call(method, `/v1/orgs/${org.id}/${path}`, { key: org.ownerKey, body });
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
};

const usd = fc
  .tuple(fc.nat(9999), fc.nat(999_999_999))
  .map(([whole, nanos]) => `${whole}.${String(nanos).padStart(9, "0")}`);
/** Names that YAML, terminals and shells read as something else. */
const name = fc.oneof(
  fc.constantFrom(
    "no",
    "null",
    "1e3",
    "0x1F",
    "*",
    "- a",
    "a: b",
    "${SLUICE_X}",
    "#",
    "'",
    '"',
    "é\u202e",
    "\u001b[2J",
    "~",
    "2026-01-01",
  ),
  fc.string({ minLength: 1, maxLength: 30 }).filter((text) => text.trim() !== ""),
);
const thresholds = fc.constantFrom([], ["0.5"], ["0.80", "1"]);
const period = fc.constantFrom("day", "week", "month", "quarter", "year", "total");
const match = fc.constantFrom(
  {},
  { model: "gpt-*" },
  { customer_id: ["a", "b"], tags: { team: ["x", "y"] } },
);

const budget = fc.oneof(
  fc.record({ name, scope_kind: fc.constant("org"), limit_usd: usd, period, alert_thresholds: thresholds }),
  fc.record({
    name,
    match,
    group_by: fc.constantFrom(["user_id"], ["key_id", "tag:team"]),
    unit: fc.constantFrom("tokens", "runs"),
    limit: fc.nat(1_000_000),
    period,
    mode: fc.constantFrom("enforce", "shadow"),
    timezone: fc.constantFrom("UTC", "Europe/Berlin"),
  }),
);
const model = fc.record(
  {
    input_usd_per_mtok: usd,
    output_usd_per_mtok: usd,
    cache_read_usd_per_mtok: usd,
    provider: fc.constantFrom("acme", "other"),
    units: fc.constantFrom({}, { web_search: "0.0100" }),
    variants: fc.constantFrom({}, { batch: "0.50" }),
    tiers: fc.constantFrom([], [{ above_input_tokens: 1000, input_usd_per_mtok: "9" }]),
    context_window: fc.constantFrom(1000, 200_000),
    regions: fc.constantFrom(["eu"], ["eu", "us"]),
  },
  { requiredKeys: ["input_usd_per_mtok", "output_usd_per_mtok"] },
);
const rule = fc.record({
  reason: name,
  target: fc.constantFrom("model", "action"),
  effect: fc.constantFrom("allow", "deny", "require_approval"),
  when: fc
    .constantFrom('model == "a"', "false", "estimate.cost_usd > 1.0 || false")
    .filter((text) => !text.includes(">")),
  priority: fc.nat(100),
  mode: fc.constantFrom("enforce", "shadow"),
});
const webhook = fc.record({
  url: fc.nat(1_000_000).map((n) => `https://hooks.example.com/${n}?a=b&c=#d`),
  events: fc.constantFrom(["*"], ["budget.*", "key.created"]),
  description: fc.oneof(name, fc.constant(null)),
});
/** An address in it is a secret, which no file has. */
const message = fc.constant({
  format: "slack",
  url: "https://hooks.slack.com/services/T0/B0/x",
  events: ["*"],
});
const fallback = fc.record({
  match: fc.constantFrom({ model: "gpt-4.1" }, { model: ["gpt-*"], customer_id: "no" }),
  then: fc.constantFrom([{ model: "gpt-4.1-mini" }], [{ model: "gpt-4o", provider: "azure" }]),
  on: fc.constantFrom(["limit"], ["no_price", "provider_error"]),
  budget_share: fc.constantFrom("0.9", null),
});
const digest = fc.record({
  every: fc.constantFrom("day", "week", "month"),
  at: fc.constantFrom("00:00", "09:30"),
  timezone: fc.constantFrom("UTC", "Asia/Tokyo"),
});
const policy = fc.record({
  name: fc.constantFrom("a", "b: c", "no"),
  match: fc.constantFrom({}, { each_key: true }, { customer_id: "*" }, { route: "POST /v1/edge/decision" }),
  unit: fc.constantFrom("requests", "tokens", "usd"),
  limit: fc.integer({ min: 10_000, max: 1_000_000 }),
  window_seconds: fc.integer({ min: 1, max: 1000 }),
  kind: fc.constantFrom("rate", "quota"),
});

const settings = fc.record({
  budgets: fc.array(budget, { maxLength: 4 }),
  models: fc.dictionary(fc.constantFrom("acme/m1", "gpt-4.1", "a b", "no"), model, { maxKeys: 3 }),
  rules: fc.array(rule, { maxLength: 3 }),
  webhooks: fc.array(webhook, { maxLength: 2 }),
  messages: fc.array(message, { maxLength: 1 }),
  fallbacks: fc.dictionary(fc.constantFrom("cheaper", "no"), fallback, { maxKeys: 2 }),
  limits: fc.uniqueArray(
    fc.record({ customer_id: fc.constantFrom("*", "c1", "no"), limit_usd: usd, period }),
    {
      selector: ({ customer_id: customer, period: length }) => `${customer} ${length}`,
      maxLength: 3,
    },
  ),
  digests: fc.dictionary(fc.constantFrom("weekly", "no"), digest, { maxKeys: 2 }),
  policies: fc.uniqueArray(policy, { selector: (one) => one.name, maxLength: 3 }),
  cap: fc.option(fc.record({ cap_usd: usd, timezone: fc.constantFrom("UTC", "Asia/Tokyo") })),
  chain: fc.option(fc.record({ max_depth: fc.nat(9), max_cost_usd: usd })),
  safety: fc.constantFrom([], [{ id: "p", kind: "pattern", pattern: "a+b", action: "block" }]),
});
type Settings = typeof settings extends fc.Arbitrary<infer T> ? T : never;

async function orgWith(given: Settings): Promise<SystemOrg> {
  const org = await newOrg();
  for (const one of given.budgets) await put(org, "budgets", one, "POST");
  for (const [id, one] of Object.entries(given.models))
    await put(org, `models/${encodeURIComponent(id)}`, one);
  for (const one of given.rules) await put(org, "policy-rules", one, "POST");
  for (const one of [...given.webhooks, ...given.messages]) await put(org, "webhooks", one, "POST");
  for (const [id, one] of Object.entries(given.fallbacks)) await put(org, `fallbacks/${id}`, one);
  for (const [id, one] of Object.entries(given.digests)) await put(org, `digests/${id}`, one);
  for (const one of given.limits) await put(org, "customer-limits", one, "POST");
  if (given.cap !== null) await put(org, "spend-cap", given.cap);
  if (given.chain !== null) await put(org, "chain-budget", given.chain);
  await put(org, "content-safety", { detectors: given.safety });
  const limits = { read_rpm: 100_000, policies: given.policies };
  const path = `/v1/admin/orgs/${org.id}/rate-limits`;
  const set = await call("PUT", path, { key: sharedServer().operatorKey, body: limits });
  if (set.status !== 200) throw new Error(set.text);
  return org;
}

describe("whatever an org has", () => {
  test("is exported so that the plan is empty, and makes another org the same, once", async () => {
    await fc.assert(
      fc.asyncProperty(settings, async (given) => {
        const org = await orgWith(given);
        const file = await exported(org);
        expect(await plan(org, file, "--check")).toEqual({ code: 0, out: NOTHING, error: "" });
        // What only its id tells apart is no other org's.
        if (/^ {2}- id: /m.test(file)) return;
        const other = await newOrg();
        const asked = ["apply", "-f", "sluice.yaml", "--yes", "--org", other.id];
        const made = await sluiceCommand(asked, at(other, file, asOperator()));
        expect([made.code, made.error]).toEqual([0, ""]);
        expect(await exported(other)).toBe(file);
        const again = await sluiceCommand(asked, at(other, file, asOperator()));
        expect(again).toEqual({ code: 0, out: NOTHING, error: "" });
      }),
      { numRuns: 4, endOnFailure: true },
    );
  });
});

const CAP =
  "spend_cap:\n  cap_usd: 5\nbudgets:\n  - name: Docs\n    scope_kind: org\n    limit_usd: 10\n    period: month\n";

describe("sluice apply", () => {
  test("shows what changes, changes it, and then nothing", async () => {
    const org = await newOrg();
    expect((await plan(org, CAP, "--check")).code).toBe(2);
    const made = await apply(org, CAP);
    expect(made).toMatchObject({ code: 0, error: "" });
    expect(made.out).toContain('+ spend_cap\n    cap_usd: "5"\n');
    expect(await apply(org, CAP)).toEqual({ code: 0, out: NOTHING, error: "" });
    const changed = await apply(org, CAP.replace("10", "10.50"));
    expect(changed.out).toContain('~ budgets "Docs"\n    limit: "10" → "10.5"\n');
    const sluice = new Sluice({ url: sharedServer().urls[0], key: org.ownerKey, timeoutMs: PATIENCE_MS });
    expect((await sluice.budgets.list()).data).toMatchObject([{ name: "Docs", limit: "10.50" }]);
    expect(await sluice.spendCap.get()).toMatchObject({ cap_usd: "5.00" });
    const nameless = await sluice.budgets.create({ scope_kind: "org", limit_usd: "7", period: "day" });
    const byId = `budgets:\n  - id: ${nameless.id}\n    scope_kind: org\n    limit: 8\n    period: day\n`;
    expect((await plan(org, byId)).out).toContain(`~ budgets "${nameless.id}"\n    limit: "7" → "8"\n`);
  });

  test("asks first, and changes nothing unless somebody says yes", async () => {
    const org = await newOrg();
    const asked = (answer: string | null) =>
      sluiceCommand(["apply", "-f", "sluice.yaml"], at(org, CAP, { ask: async () => answer }));
    expect(await asked(null)).toMatchObject({
      code: 1,
      error: expect.stringContaining("nobody is there to ask"),
    });
    expect(await asked("")).toMatchObject({ code: 1, error: "sluice: nothing was changed\n" });
    expect((await plan(org, CAP, "--check")).code).toBe(2);
    expect(await asked("y")).toMatchObject({ code: 0 });
    expect((await plan(org, CAP, "--check")).code).toBe(0);
  });

  test("leaves exports alone, also those of spans: they are no part of a file", async () => {
    const org = await newOrg();
    await put(org, "exports/spans", {
      destination: { kind: "otlp", endpoint: "https://otlp.example.com", headers: { authorization: "a" } },
    });
    const read = async () =>
      (await call("GET", `/v1/orgs/${org.id}/exports/spans`, { key: org.ownerKey })).body.destination;
    const before = await read();
    const file = await exported(org);
    expect(file).not.toContain("otlp");
    expect((await plan(org, file, "--check")).out).toBe(NOTHING);
    expect((await apply(org, CAP, "--prune")).code).toBe(0);
    expect(await read()).toEqual(before);
    expect((await apply(org, "exports: {}")).error).toContain("sluice.yaml:1: exports");
  });

  test("refuses to delete without --prune, and then changes nothing at all", async () => {
    const org = await newOrg();
    await apply(org, CAP);
    const file =
      "spend_cap: null\nbudgets:\n  - name: Other\n    scope_kind: org\n    limit_usd: 1\n    period: day\n";
    const refused = await apply(org, file);
    expect(refused.code).toBe(1);
    expect(refused.out).toContain('- budgets "Docs"');
    expect(refused.error).toContain("2 would be deleted, so nothing was changed");
    expect((await plan(org, CAP)).out).toBe(NOTHING);
    // A section that the file does not have is left alone, also by --prune.
    expect((await apply(org, "models: {}", "--prune")).out).toBe(NOTHING);
    expect((await apply(org, file, "--prune")).code).toBe(0);
    expect((await plan(org, file, "--check")).out).toBe(NOTHING);
    expect((await plan(org, CAP, "--check")).code).toBe(2);
  });

  test.each([
    ["    limit_usd: 10\n", "    limit_usd: ten\n", "sluice.yaml:6: budgets[0].limit_usd: must be digits"],
    [
      "    limit_usd: 10\n",
      "    limt_usd: 10\n",
      "sluice.yaml:6: budgets[0].limt_usd: is not a field of budgets",
    ],
    ["    period: month\n", "    period: fortnight\n", "sluice.yaml:7: budgets[0].period: must be"],
    [
      "    period: month\n",
      "    period: month\n    timezone: Mars\n",
      "sluice.yaml:8: budgets[0].timezone: must be an IANA",
    ],
    [
      "  - name: Docs\n",
      "  - name: Docs\n    id: bud_none\n",
      "sluice.yaml:5: budgets[0].id: is not an id of this org",
    ],
  ])(
    "changes nothing for a file with a mistake, and says where it is (%s → %s)",
    async (right, wrong, reason) => {
      const org = await newOrg();
      const { code, error } = await apply(org, CAP.replace(right, wrong));
      expect([code, error]).toEqual([1, expect.stringContaining(reason)]);
      const sluice = new Sluice({ url: sharedServer().urls[0], key: org.ownerKey, timeoutMs: PATIENCE_MS });
      await expect(sluice.spendCap.get()).rejects.toMatchObject({ code: "not_found" });
    },
  );

  test("finds the mistakes that only the service can: rules, patterns, addresses and names that are taken", async () => {
    const org = await newOrg();
    const file = `spend_cap: {cap_usd: 1}
policy_rules:
  - reason: r
    target: model
    effect: deny
    when: model ==
content_safety:
  detectors:
    - {id: p, kind: pattern, pattern: "(", action: block}
webhooks:
  - url: "ftp://example.com"
    events: ["*"]
`;
    const { code, error } = await apply(org, file);
    expect(code).toBe(1);
    expect(error).toContain("sluice.yaml:6: policy_rules[0].when: ");
    expect(error).toContain("sluice.yaml:9: content_safety.detectors[0].pattern: ");
    expect(error).toContain("sluice.yaml:11: webhooks[0].url: must use https");
    expect((await exported(org)).includes("spend_cap: null")).toBe(true);
  });

  test("with a key that may only read: plans, and does not apply", async () => {
    const org = await newOrg();
    const sluice = new Sluice({ url: sharedServer().urls[0], key: org.ownerKey, timeoutMs: PATIENCE_MS });
    const { key } = await sluice.keys.mint({ name: "ci", role: "viewer" });
    const seen = await sluiceCommand(["plan", "-f", "sluice.yaml", "--check"], at(org, CAP, { key }));
    expect([seen.code, seen.error]).toEqual([2, expect.stringContaining("may not change spend_cap")]);
    const tried = await sluiceCommand(["apply", "-f", "sluice.yaml", "--yes"], at(org, CAP, { key }));
    expect([tried.code, tried.error]).toEqual([1, expect.stringContaining("so nothing was changed")]);
    expect((await plan(org, CAP, "--check")).code).toBe(2);
    const file = await sluiceCommand(["export"], at(org, "", { key }));
    expect(file.code).toBe(0);
    expect(file.error).toContain("this key may not read provider_keys: it is left out");
    // Rate limits are the operator's. Nothing else of the file is applied either.
    const limits = await apply(org, `${CAP}rate_limits: {read_rpm: 50}\n`);
    expect([limits.code, limits.error]).toEqual([1, expect.stringContaining("rate_limits")]);
    expect((await plan(org, CAP, "--check")).code).toBe(2);
  });
});

/** Runs both until each asks its question, and lets both go on at once. */
async function together(org: SystemOrg, files: readonly string[]): Promise<CommandRan[]> {
  let waiting = 0;
  let letGo: () => void = () => undefined;
  const all = new Promise<void>((resolve) => (letGo = resolve));
  const ask = async () => {
    waiting += 1;
    if (waiting === files.length) letGo();
    await all;
    return "y";
  };
  return Promise.all(
    files.map((file) => sluiceCommand(["apply", "-f", "sluice.yaml"], at(org, file, { ask }))),
  );
}

describe("two people who apply at once", () => {
  test.each([
    ["a change", CAP],
    ["something new that there is one of", "budgets: []\n"],
  ])("do not undo each other: %s", async (_, first) => {
    const org = await newOrg();
    await apply(org, first);
    const files = ["7", "8"].map((cap) => `spend_cap: {cap_usd: ${cap}}\n`);
    const ran = await together(org, files);
    expect(ran.map(({ code }) => code).toSorted((a, b) => a - b)).toEqual([0, 1]);
    const winner = ran.findIndex(({ code }) => code === 0);
    expect((await plan(org, files[winner] ?? "")).out).toBe(NOTHING);
    expect(ran[1 - winner]?.error).toContain("changed while this ran");
  });

  test("make one of what both make, and make it again after it was deleted", async () => {
    const org = await newOrg();
    const sluice = new Sluice({ url: sharedServer().urls[0], key: org.ownerKey, timeoutMs: PATIENCE_MS });
    for (let life = 0; life < 3; life += 1) {
      const ran = await together(org, [CAP, CAP]);
      expect(ran.filter(({ code }) => code === 0).length).toBeGreaterThan(0);
      const { data } = await sluice.budgets.list();
      expect(data.length).toBe(1);
      await apply(org, "spend_cap: null\nbudgets: []\n", "--prune");
      expect((await sluice.budgets.list()).data).toEqual([]);
    }
    const other = CAP.replace("limit_usd: 10", "limit_usd: 11").replace("spend_cap:\n  cap_usd: 5\n", "");
    const own = CAP.replace("spend_cap:\n  cap_usd: 5\n", "");
    const ran = await together(org, [own, other]);
    expect(ran.map(({ code }) => code).toSorted((a, b) => a - b)).toEqual([0, 1]);
    expect((await sluice.budgets.list()).data.length).toBe(1);
  });

  test("do not delete what the other has changed", async () => {
    const org = await newOrg();
    await apply(org, CAP);
    const ask = async () => {
      await apply(org, CAP.replace("10", "99"));
      return "y";
    };
    const file = "budgets: []\n";
    const ran = await sluiceCommand(["apply", "-f", "sluice.yaml", "--prune"], at(org, file, { ask }));
    expect([ran.code, ran.error]).toEqual([1, expect.stringContaining("changed while this ran")]);
    const sluice = new Sluice({ url: sharedServer().urls[0], key: org.ownerKey, timeoutMs: PATIENCE_MS });
    expect((await sluice.budgets.list()).data).toMatchObject([{ limit: "99.00" }]);
  });
});

describe("secrets", () => {
  const SECRET = "sk-0123456789-wxyz";

  test("are not exported, are taken from the environment, and are never shown", async () => {
    const org = await newOrg();
    const headers = { "X-Team": "a-header-secret" };
    await put(org, "provider-keys/openai", { secret: SECRET, headers, models: ["gpt-*"] });
    const file = await exported(org);
    expect(file).toContain("secret: ${SLUICE_PROVIDER_KEYS_OPENAI_SECRET}");
    expect(file).not.toMatch(/wxyz|a-header-secret/);
    expect((await plan(org, file, "--check")).out).toBe(NOTHING);
    const narrowed = file.replace("gpt-*", "gpt-4*");
    expect((await apply(org, narrowed)).error).toContain("SLUICE_PROVIDER_KEYS_OPENAI_SECRET is not set");
    const env = {
      SLUICE_PROVIDER_KEYS_OPENAI_SECRET: "sk-another-abcd",
      SLUICE_PROVIDER_KEYS_OPENAI_X_TEAM: "t",
    };
    const made = await sluiceCommand(["apply", "-f", "sluice.yaml", "--yes"], at(org, narrowed, { env }));
    expect(made).toMatchObject({ code: 0, error: "" });
    expect(made.out).toContain("secret: (a secret)");
    expect(made.out).not.toContain("abcd");
    const sluice = new Sluice({ url: sharedServer().urls[0], key: org.ownerKey, timeoutMs: PATIENCE_MS });
    expect(await sluice.providerKeys.get("openai")).toMatchObject({ last4: "abcd", models: ["gpt-4*"] });
    const again = await sluiceCommand(["apply", "-f", "sluice.yaml", "--yes"], at(org, narrowed, { env }));
    expect(again.out).toBe(NOTHING);
  });

  test("are not put into names that look like them", async () => {
    const org = await newOrg();
    const file = "budgets:\n  - {name: '${SLUICE_SECRET}', scope_kind: org, limit_usd: 1, period: day}\n";
    const env = { SLUICE_SECRET: SECRET };
    expect((await sluiceCommand(["apply", "-f", "sluice.yaml", "--yes"], at(org, file, { env }))).code).toBe(
      0,
    );
    const { text } = await call("GET", `/v1/orgs/${org.id}/budgets`, { key: org.ownerKey });
    expect(text).toContain("${SLUICE_SECRET}");
    expect(text).not.toContain(SECRET);
  });
});

test("sluice tail shows what is refused and what happens, each once and in order", async () => {
  const org = await newOrg();
  await apply(org, CAP);
  const refuse = () =>
    call("POST", "/v1/edge/decision", {
      key: org.ownerKey,
      body: { workflow_id: "w", estimate: { cost_usd: "25" } },
    });
  await refuse();
  const sluice = new Sluice({ url: sharedServer().urls[0], key: org.ownerKey, timeoutMs: PATIENCE_MS });
  await expect.poll(async () => (await sluice.refusals.list()).data.length).toBe(1);
  let looks = 0;
  const waits = async () => {
    looks += 1;
    if (looks > 1) return false;
    await refuse();
    await expect.poll(async () => (await sluice.refusals.list()).data.length).toBe(2);
    return true;
  };
  const { code, out } = await sluiceCommand(["tail"], at(org, "", { waits }));
  expect(code).toBe(0);
  const refused = out.split("\n").filter((line) => line.includes(" refused "));
  expect(refused.length).toBe(2);
  expect(refused[0]).toMatch(/spend_cap_exceeded +25\.00 .*workflow=w .*trace=/);
  expect(out).toMatch(/ event +key\.created /);
  const times = out
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.slice(0, 24));
  expect(times).toEqual(times.toSorted());
  const json = await sluiceCommand(["tail", "--json", "--no-follow", "--lines", "1"], at(org));
  expect(JSON.parse(json.out)).toMatchObject({ code: "spend_cap_exceeded" });
});
