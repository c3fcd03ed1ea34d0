import { describe, expect, onTestFinished, test, vi } from "vitest";
import worker, { createProxy } from "../../src/proxy/index.ts";
import { optionsFrom } from "../../src/proxy/environment.ts";
import { secretsOf } from "../../src/proxy/provider-settings.ts";

const set = {
  SLUICE_URL: "https://sluice.test",
  OPENAI_API_KEY: "sk-1",
  PROXY_ORGS: "org_01ARZ3NDEKTSV4RRFFQ69G5FAV",
};

test("a provider without a key is not served, and only what is listed may be set by callers", () => {
  expect(optionsFrom(set)).toMatchObject({
    providers: { openai: { url: undefined, key: "sk-1" }, anthropic: undefined },
    orgs: ["org_01ARZ3NDEKTSV4RRFFQ69G5FAV"],
    callerSets: undefined,
  });
  expect(optionsFrom({ ...set, PROXY_CALLER_SETS: "" }).callerSets).toEqual([]);
});

test("a decision may take as long as is set, and no text is taken for a time", () => {
  expect(optionsFrom({ ...set, PROXY_DECISION_TIMEOUT_MS: "500" }).decisionTimeoutMs).toBe(500);
  expect(optionsFrom(set).decisionTimeoutMs).toBeUndefined();
  expect(() => optionsFrom({ ...set, PROXY_DECISION_TIMEOUT_MS: "soon" })).toThrow(
    "PROXY_DECISION_TIMEOUT_MS must be a positive whole number",
  );
});

test("a provider of the operator's own has its settings in one, and a deployment its model", () => {
  const lab = { url: "https://lab.test", key: "k", headers: { "x-a": "b c" }, prices: "openai" };
  const env = {
    ...set,
    PROXY_PROVIDERS: JSON.stringify({ lab }),
    AZURE_API_KEY: "k",
    AZURE_URL: "https://mine.test",
    AZURE_MODELS: '{"mine":"gpt-4o"}',
    PROXY_OWN_KEYS: "true",
    PROXY_TRUSTS_COST: "lab,openrouter",
  };
  expect(optionsFrom(env)).toMatchObject({
    providers: { lab, azure: { key: "k", url: "https://mine.test", models: { mine: "gpt-4o" } } },
    ownKeys: true,
    trustsCost: ["lab", "openrouter"],
  });
});

describe("a setting that is wrong stops every call, and is named without its value", () => {
  test.each([
    ["SLUICE_URL", { SLUICE_URL: "" }],
    ["OPENAI_API_KEY", { OPENAI_API_KEY: "sk secret" }],
    ["OPENAI_URL", { OPENAI_URL: "file:///secret" }],
    ["PROXY_CALLER_SETS", { PROXY_CALLER_SETS: "customer_id,secret" }],
    ["PROXY_KEY_FIELDS", { PROXY_KEY_FIELDS: "secret" }],
    ["PROXY_KEY_FIELDS", { PROXY_KEY_FIELDS: '{"secret":{}}' }],
    ["PROXY_ORGS", { PROXY_ORGS: "" }],
    ["PROXY_ORGS", { PROXY_ORGS: "org_secret" }],
    ["PROXY_ORGS", { PROXY_ORGS: "*,org_01ARZ3NDEKTSV4RRFFQ69G5FAV" }],
    ["PROXY_OTHER_PATHS", { PROXY_OTHER_PATHS: "secret" }],
    ["PROXY_OTHER_PATHS", { PROXY_OTHER_PATHS: '{"POST /v1/batches":"secret"}' }],
    ["PROXY_OTHER_PATHS", { PROXY_OTHER_PATHS: '{"/v1/batches":"1"}' }],
    ["PROXY_OTHER_PATHS", { PROXY_OTHER_PATHS: '{"POST /v1/realtime/client_secrets":"1"}' }],
    ["PROXY_OTHER_PATHS", { PROXY_OTHER_PATHS: '{"GET /v1/organization/admin_api_keys":"1"}' }],
    ["PROXY_DEFAULT_MAX_OUTPUT_TOKENS", { PROXY_DEFAULT_MAX_OUTPUT_TOKENS: "0" }],
    ["PROXY_UNSEEN_INPUT", { PROXY_UNSEEN_INPUT: "secret" }],
    ["PROXY_HOSTED_TOOL_PASSES", { PROXY_HOSTED_TOOL_PASSES: "1" }],
    ["PROXY_HOSTED_TOOL_PASSES", { PROXY_HOSTED_TOOL_PASSES: "101" }],
    ["PROXY_BACKGROUND", { PROXY_BACKGROUND: "secret" }],
    ["PROXY_ON_LEAVE", { PROXY_ON_LEAVE: "secret" }],
    ["PROXY_LEAVE_GRACE_MS", { PROXY_LEAVE_GRACE_MS: "-1" }],
    ["PROXY_TRUSTS_COST", { PROXY_TRUSTS_COST: "secret" }],
    ["PROXY_ON_EXPIRY", { PROXY_ON_EXPIRY: "secret" }],
    ["AZURE_MODELS", { AZURE_URL: "https://mine.test", AZURE_MODELS: "secret" }],
    ["AZURE_MODELS", { AZURE_URL: "https://mine.test", AZURE_MODELS: '{"secret":1}' }],
    ["PROXY_OWN_KEYS", { PROXY_OWN_KEYS: "secret" }],
    ["PROXY_PROVIDERS", { PROXY_PROVIDERS: "secret" }],
    ["PROXY_PROVIDERS", { PROXY_PROVIDERS: '{"lab":{"key":"secret"}}' }],
    ["PROXY_PROVIDERS", { PROXY_PROVIDERS: '{"lab":{"url":"https://lab.test?secret"}}' }],
    ["PROXY_PROVIDERS", { PROXY_PROVIDERS: '{"lab":{"url":"https://lab.test","key":"se cret"}}' }],
    ["PROXY_PROVIDERS", { PROXY_PROVIDERS: '{"lab":{"url":"https://lab.test","headers":{"x":1}}}' }],
    ["PROXY_PROVIDERS", { PROXY_PROVIDERS: '{"openai":{"url":"https://lab.test"}}' }],
    ["PROXY_PROVIDERS", { PROXY_PROVIDERS: '{"lab":{"url":"https://lab.test","compatibleWith":"secret"}}' }],
    ["PROXY_MAX_BODY_BYTES", { PROXY_MAX_BODY_BYTES: "secret" }],
    ["PROXY_MAX_BODIES_BYTES", { PROXY_MAX_BODIES_BYTES: "67108863" }],
    ["SLUICE_URL", { SLUICE_URL: "" }],
  ])("%s", async (name, wrong) => {
    const lines: string[] = [];
    const log = vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line));
    onTestFinished(() => log.mockRestore());
    const request = new Request("https://proxy.test/openai/v1/models");
    const answer = await worker.fetch(request, { ...set, ...wrong }, { waitUntil: () => undefined });
    const text = await answer.text();
    expect(answer.status).toBe(500);
    expect(text).not.toMatch(/[A-Z]+_[A-Z]+|secret/);
    const [line = ""] = lines.slice(-1);
    const trace = answer.headers.get("x-svc-trace-id");
    expect(JSON.parse(line)).toMatchObject({ trace, cause: expect.stringContaining(name) });
    expect(lines.join("").replaceAll("client_secrets", "")).not.toContain("secret");
  });
});

test("the parts of a key that signs requests are secrets, too", () => {
  const key = (name: string) =>
    `AKIAIOSFODNN7EXAMPLE:secret-of-${name}:token-of-${name}`.replaceAll("-", "/");
  const secrets = secretsOf({
    BEDROCK_API_KEY: key("the-one"),
    BEDROCK_MORE: JSON.stringify([{ key: key("the-other") }]),
    OPENAI_API_KEY: "sk-openai",
  });
  expect(secrets).toEqual(
    expect.arrayContaining([
      "secret/of/the/one",
      "token/of/the/one",
      "secret/of/the/other",
      "token/of/the/other",
      key("the-one"),
      key("the-other"),
      "sk-openai",
    ]),
  );
});

test("paths that are never served are refused by whoever makes a proxy", () => {
  const otherPaths = { "POST /v1/realtime/sessions": "1" };
  expect(() => createProxy({ orgs: "*", providers: {}, otherPaths })).toThrow(/credentials/);
});

test("why the proxy failed is logged without any key", async () => {
  const lines: string[] = [];
  vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line));
  onTestFinished(() => void vi.restoreAllMocks());
  const caller = `svc_live_${"0".repeat(26)}${"1".repeat(26)}_secret`;
  const env = {
    ...set,
    PROXY_ORGS: "*",
    OPENAI_API_KEY: "sk-openai-secret",
    ANTHROPIC_API_KEY: "sk-anthropic-secret",
    PROXY_PROVIDERS: '{"lab":{"url":"https://lab.test","key":"lab-secret","headers":{"x":"header-secret"}}}',
  };
  const request = new Request("https://proxy.test/openai/v1/models", {
    headers: { authorization: `Bearer ${caller}` },
  });
  const waitUntil = (work: Promise<unknown>): never => {
    void work.catch(() => undefined);
    throw new Error(
      `lost with ${env.OPENAI_API_KEY}, ${env.ANTHROPIC_API_KEY}, lab-secret, header-secret and ${caller}`,
    );
  };
  const unreachable = { ...env, SLUICE_URL: "http://127.0.0.1:1" };
  const answer = await worker.fetch(request, unreachable, { waitUntil });
  expect([answer.status, await answer.text()]).toEqual([500, expect.not.stringContaining("secret")]);
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain("PROXY_ORGS is *");
  expect(lines[1]).toContain("lost with [key], [key], [key], [key] and [key]");
  expect(lines[1]).not.toContain("secret");
});
