import { describe, expect, test } from "vitest";
import { refuse } from "../../src/contract/refusal.ts";
import { OPERATORS_KEY, SmallProxy } from "../support/small-proxy.ts";
import { SMALL_KEY } from "../support/small-service.ts";

/** Who may call, with which keys, and under which names. */

const CHAT = { model: "gpt-4o", messages: [{ role: "user", content: "hi" }], max_tokens: 5 };
const PATH = "/openai/v1/chat/completions";
const ORG = `org_${"0".repeat(26)}`;
const KEY = `key_${"1".repeat(26)}`;
const DETAILS = { cap_usd: "1", spent_usd: "1", resets_at: "2026-01-01T00:00:00+00:00" };
const OTHER = "9".repeat(26);

async function codeOf(answer: Response): Promise<string> {
  const { error } = (await answer.json()) as { error: { code: string } };
  return error.code;
}

describe("a proxy that serves some organizations", () => {
  test.each([[[ORG]], [[KEY]], [[`org_${OTHER}`, KEY]], ["*" as const]])(
    "serves a key that %s names",
    async (orgs) => {
      const small = new SmallProxy({ orgs });
      expect((await small.call(PATH, { body: CHAT })).status).toBe(200);
    },
  );

  test.each([[[`org_${OTHER}`]], [[`key_${OTHER}`]], [[]]])(
    "refuses a key that %j does not name, and asks nobody",
    async (orgs) => {
      const small = new SmallProxy({ orgs });
      const answer = await small.call(PATH, { body: CHAT });
      expect([answer.status, await codeOf(answer)]).toEqual([403, "forbidden"]);
      expect([small.service.asks.length, small.sent.length]).toEqual([0, 0]);
    },
  );
});

describe("a key that a caller sends as its own of the provider", () => {
  const own = { "x-sluice-key": SMALL_KEY };
  const NAMES = ["authorization", "x-api-key", "api-key", "x-goog-api-key"] as const;

  test.each(NAMES)("is not sent on if it is a Sluice key, in %s", async (name) => {
    for (const value of [SMALL_KEY, `Bearer ${SMALL_KEY}`, "svc_live_of_somebody_else"]) {
      const small = new SmallProxy({ ownKeys: true });
      const headers = { authorization: "", ...own, [name]: value };
      if (name !== "authorization") Reflect.deleteProperty(headers, "authorization");
      await small.call(PATH, { body: CHAT, headers });
      expect(small.sent.map((sent) => sent.headers.get("authorization"))).toEqual([
        `Bearer ${OPERATORS_KEY}`,
      ]);
      expect(JSON.stringify([...(small.sent[0]?.headers ?? [])])).not.toContain("svc_");
    }
  });

  test("is sent on if it is one of the provider's, and only where the operator allows it", async () => {
    for (const [ownKeys, key] of [
      [true, "Bearer sk-of-the-caller"],
      [false, `Bearer ${OPERATORS_KEY}`],
    ] as const) {
      const small = new SmallProxy({ ownKeys });
      await small.call(PATH, { body: CHAT, headers: { ...own, authorization: "Bearer sk-of-the-caller" } });
      expect(small.sent.map((sent) => sent.headers.get("authorization"))).toEqual([key]);
    }
  });
});

describe("the name of an organization's key", () => {
  const set = { secret: "sk-of-the-org-0123456789", base_url: null, headers: {}, models: null };

  test.each(["anthropic", "anthropic/eu", "openai-eu", "openaix/eu", "OPENAI", "/openai", ""])(
    "of another provider goes nowhere: %j",
    async (name) => {
      const small = new SmallProxy();
      small.service.keys.set(name, set);
      const headers = { "x-sluice-provider-key": name };
      const answer = await small.call(PATH, { body: CHAT, headers });
      expect([answer.status, await codeOf(answer), small.sent.length]).toEqual([400, "bad_request", 0]);
    },
  );

  test.each(["openai", "openai/eu"])("of this provider is used: %s", async (name) => {
    const small = new SmallProxy();
    small.service.keys.set(name, set);
    await small.call(PATH, { body: CHAT, headers: { "x-sluice-provider-key": name } });
    expect(small.sent.map(({ headers }) => headers.get("authorization"))).toEqual([
      "Bearer sk-of-the-org-0123456789",
    ]);
  });
});

test.each([
  [`?alt=sse&key=${SMALL_KEY}`, "?alt=sse"],
  [`?key=a&alt=sse&key=${SMALL_KEY}`, "?alt=sse"],
  [`?alt=sse&%6Bey=${SMALL_KEY}`, "?alt=sse"],
  ["?alt=sse", "?alt=sse"],
])("a key in the query goes to no provider: %s", async (query, sent) => {
  const small = new SmallProxy({ providers: { gemini: { key: OPERATORS_KEY } } });
  const body = { contents: [{ parts: [{ text: "hi" }] }], generationConfig: { maxOutputTokens: 5 } };
  await small.call(`/gemini/v1/models/gemini-2.0-flash:streamGenerateContent${query}`, { body });
  expect(small.sent.map(({ url }) => new URL(url).search)).toEqual([sent]);
});

test.each([
  ["a selector of fields", "&fields=candidates", {}],
  ["a mask of fields", "", { "X-Goog-FieldMask": "candidates" }],
])("%s, which would hide what is billed, is refused before anything is sent", async (_, query, headers) => {
  const small = new SmallProxy({ providers: { gemini: { key: OPERATORS_KEY } } });
  const path = `/gemini/v1/models/gemini-2.0-flash:streamGenerateContent?alt=sse${query}`;
  const answer = await small.call(path, { body: { contents: [{ parts: [{ text: "hi" }] }] }, headers });
  expect([answer.status, small.sent]).toEqual([403, []]);
});

test("each call is decided by itself, also one whose request id came before", async () => {
  const small = new SmallProxy({ callerSets: ["request_id"] });
  const headers = { "x-sluice-request-id": "one-and-the-same" };
  for (let call = 0; call < 2; call += 1) {
    const answer = await small.call(PATH, { body: CHAT, headers });
    expect(answer.status).toBe(200);
  }
  const ids = small.service.asks.map(({ request_id }) => request_id as string | undefined);
  expect(ids.length).toBe(2);
  expect(ids).not.toContain("one-and-the-same");
  expect(ids[0]).not.toBe(ids[1]);
  expect(small.sent.length).toBe(2);
  small.service.judge = () => refuse("spend_cap_exceeded", DETAILS);
  expect((await small.call(PATH, { body: CHAT, headers })).status).toBe(402);
});

describe("a name that a limit of the organization counts by", () => {
  const NAMED = [
    ["x-sluice-user-id", "user_id", "u"],
    ["x-sluice-workflow-id", "workflow_id", "w"],
    ["x-sluice-tags", "tags", "team=search"],
  ] as const;

  test.each(NAMED)("is not the caller's to say: %s", async (header, field, value) => {
    const small = new SmallProxy();
    small.service.countedBy = [field];
    const answer = await small.call(PATH, { body: CHAT, headers: { [header]: value } });
    expect([answer.status, await codeOf(answer)]).toEqual([403, "forbidden"]);
    expect([small.service.asks.length, small.sent.length]).toEqual([0, 0]);
  });

  test.each(NAMED)(
    "is, where another one is counted, or the operator allows it: %s",
    async (header, field, value) => {
      for (const [countedBy, callerSets] of [
        [["customer_id"], undefined],
        [[field], [field]],
      ] as const) {
        const small = new SmallProxy(callerSets === undefined ? {} : { callerSets });
        small.service.countedBy = countedBy;
        expect((await small.call(PATH, { body: CHAT, headers: { [header]: value } })).status).toBe(200);
        expect(small.service.asks[0]).toHaveProperty(field);
      }
    },
  );

  test("is the operator's for the keys that it names, whatever callers say", async () => {
    const small = new SmallProxy({
      callerSets: ["customer_id"],
      keyFields: { [KEY]: { customer_id: "acme" } },
    });
    await small.call(PATH, { body: CHAT, headers: { "x-sluice-customer-id": "another" } });
    expect(small.service.asks).toMatchObject([{ customer_id: "acme" }]);
  });
});
