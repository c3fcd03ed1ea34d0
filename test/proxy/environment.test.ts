import { describe, expect, test } from "vitest";
import worker from "../../src/proxy/index.ts";
import { optionsFrom } from "../../src/proxy/environment.ts";

const set = { SLUICE_URL: "https://sluice.test", OPENAI_API_KEY: "sk-1" };

test("a provider without a key is not served, and only what is listed may be set by callers", () => {
  expect(optionsFrom(set)).toMatchObject({
    providers: { openai: { url: "https://api.openai.com", key: "sk-1" }, anthropic: undefined },
    callerSets: ["workflow_id", "user_id", "tags"],
  });
  expect(optionsFrom({ ...set, PROXY_CALLER_SETS: "" }).callerSets).toEqual([]);
});

describe("a setting that is wrong stops every call, and is named without its value", () => {
  test.each([
    ["SLUICE_URL", { SLUICE_URL: "" }],
    ["OPENAI_API_KEY", { OPENAI_API_KEY: "sk secret" }],
    ["OPENAI_URL", { OPENAI_URL: "file:///secret" }],
    ["PROXY_CALLER_SETS", { PROXY_CALLER_SETS: "customer_id,secret" }],
    ["PROXY_KEY_FIELDS", { PROXY_KEY_FIELDS: "secret" }],
    ["PROXY_KEY_FIELDS", { PROXY_KEY_FIELDS: '{"secret":{}}' }],
    ["PROXY_OTHER_ESTIMATE_USD", { PROXY_OTHER_ESTIMATE_USD: "secret" }],
    ["PROXY_MAX_BODY_BYTES", { PROXY_MAX_BODY_BYTES: "secret" }],
    ["PROXY_STREAM_USAGE", { PROXY_STREAM_USAGE: "secret" }],
  ])("%s", async (name, wrong) => {
    const request = new Request("https://proxy.test/openai/v1/models");
    const answer = await worker.fetch(request, { ...set, ...wrong }, { waitUntil: () => undefined });
    const text = await answer.text();
    expect(answer.status).toBe(500);
    expect(text).toContain(name);
    expect(text).not.toContain("secret");
  });
});
