import { expect, test } from "vitest";
import { PROVIDERS } from "../../src/providers/table.ts";
import { OPERATORS_KEY, SmallProxy } from "../support/small-proxy.ts";
import { SMALL_KEY } from "../support/small-service.ts";

/** A call that a proxy sent comes back to a proxy, under whatever name. */

const CHAT = { model: "gpt-4o", messages: [{ role: "user", content: "hi" }], max_tokens: 5 };
/** A loop ends here where nothing else ends it. */
const MOST_PASSES = 5;
const MARK = { "x-sluice-proxied": "1" };

test("an org whose base_url is the proxy by another name gets 508 from the second pass, and none is charged", async () => {
  const small = new SmallProxy();
  small.service.keys.set("openai", {
    secret: SMALL_KEY,
    base_url: "https://another-name.test/openai",
    headers: {},
    models: null,
  });
  small.answer = (url, init) =>
    small.sent.length > MOST_PASSES ? Response.json({}) : small.receive(new Request(url, init));
  const answer = await small.call("/openai/v1/chat/completions", { body: CHAT });
  expect([answer.status, await answer.json()]).toMatchObject([
    508,
    {
      error: { code: "loop_detected", type: "sluice_refusal", message: expect.stringContaining("base_url") },
    },
  ]);
  await small.settled();
  expect(small.sent.map(({ url }) => url)).toEqual(["https://another-name.test/openai/v1/chat/completions"]);
  expect(small.service.runs).toMatchObject([{ outcome: "failed", cost_usd: "0" }]);
  expect([small.service.asks.length, small.service.open.size]).toEqual([1, 0]);
});

test("an address of the operator's that leads back is 508, too, also for a call that costs nothing", async () => {
  const providers = { openai: { key: OPERATORS_KEY, url: "https://proxy.test/openai" } };
  const small = new SmallProxy({ providers });
  small.answer = (url, init) => {
    if (small.sent.length > MOST_PASSES) return Response.json({});
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${SMALL_KEY}`);
    return small.receive(new Request(url, { ...init, headers }));
  };
  expect((await small.call("/openai/v1/models/gpt-4o")).status).toBe(508);
  expect(small.sent.length).toBe(1);
});

const FORMS: Readonly<Record<string, object>> = {
  openai: { error: { code: "loop_detected", type: "sluice_refusal" } },
  anthropic: { type: "error", error: { code: "loop_detected", type: "api_error" } },
  gemini: { error: { code: "loop_detected", status: "INTERNAL" } },
  bedrock: { __type: "InternalServerException", error: { code: "loop_detected" } },
  openrouter: { error: { code: 508, metadata: { code: "loop_detected" } } },
  cohere: { message: expect.any(String), error: { code: "loop_detected" } },
};

test.each(Object.keys(PROVIDERS))(
  "a call with the mark reaches neither the service nor %s, and is 508 in its format",
  async (name) => {
    const small = new SmallProxy({ providers: { [name]: { key: OPERATORS_KEY, url: "https://host.test" } } });
    const answer = await small.call(`/${name}/v1/anything`, { body: CHAT, headers: MARK });
    expect([answer.status, answer.headers.get("x-should-retry"), await answer.json()]).toMatchObject([
      508,
      "false",
      FORMS[name] ?? FORMS["openai"],
    ]);
    expect([small.sent.length, small.service.asks.length]).toEqual([0, 0]);
  },
);

test("the mark is sent once, whatever the operator's headers for a provider say", async () => {
  const lab = { url: "https://lab.test", headers: { "X-Sluice-Proxied": "0" } };
  const small = new SmallProxy({ providers: { lab } });
  await small.call("/lab/v1/chat/completions", { body: CHAT });
  expect(small.sent.map(({ headers }) => headers.get("x-sluice-proxied"))).toEqual(["1"]);
});
