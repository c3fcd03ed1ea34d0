import { describe, expect, test } from "vitest";
import { governedFetch, type GovernedFetchOptions, Refused, Unreachable } from "../../src/adapters/fetch.ts";
import type { CallGate } from "../../src/adapters/governed-call.ts";

const gate: CallGate = {
  decide: async () => ({ reservation: { id: "rsv_1", amount_usd: "9", max_output_tokens: 300 } }) as never,
  settle: () => undefined,
  release: async () => undefined,
  flush: async () => undefined,
  knownFacts: null,
};

test("an answer tells the bound that its request got, and no other", async () => {
  const answer = async (max_tokens?: number) => {
    const body = JSON.stringify({ model: "gpt-4o", messages: [], max_tokens });
    const headers = { "x-sluice-max-output-tokens": "7" };
    const fetch = async () => new Response("{}", { headers });
    return governedFetch({ gate, fetch })("https://api.openai.com/v1/chat/completions", {
      method: "POST",
      body,
    });
  };
  expect((await answer()).headers.get("x-sluice-max-output-tokens")).toBe("300");
  expect((await answer(50)).headers.has("x-sluice-max-output-tokens")).toBe(false);
});

/** What is asked and sent for a call at an address. */
async function called(url: string, body: object, options: Partial<GovernedFetchOptions> = {}) {
  const asked: Parameters<CallGate["decide"]>[0][] = [];
  const sent: string[] = [];
  const watched: CallGate = { ...gate, decide: (ask) => (asked.push(ask), gate.decide(ask)) };
  const fetch = async (to: string | URL | Request) => (sent.push(new Request(to).url), new Response("{}"));
  const send = governedFetch({ gate: watched, fetch, ...options });
  const answer = await send(url, { method: "POST", body: JSON.stringify(body) });
  return { answer, asked, sent };
}

describe("a deployment at Azure", () => {
  const url = "https://acme.openai.azure.com/openai/deployments/fast/chat/completions?api-version=1";

  test("names the model that its body leaves out", async () => {
    const { asked, sent } = await called(url, { messages: [] }, { deployments: { fast: "gpt-4o-mini" } });
    expect(asked).toMatchObject([{ model: "gpt-4o-mini" }]);
    expect(sent).toEqual([url]);
  });

  test("is its own model where nothing else is known", async () => {
    expect((await called(url, { messages: [] })).asked).toMatchObject([{ model: "fast" }]);
  });
});

describe("a path", () => {
  test("that can be read in two ways is not passed on", async () => {
    for (const path of [
      "/v1//chat/completions",
      "/v1/%2e%2e/v1/models",
      "/v1/files;/v1/models",
      "/x%2fv1/models",
    ]) {
      const { answer, sent } = await called(`https://api.openai.com${path}`, {});
      expect([path, answer.status, sent]).toEqual([path, 403, []]);
    }
  });

  test("that returns credentials is never passed on, also where it ends like another", async () => {
    const { answer } = await called("https://host.test/v1/organization/v1/models", {});
    expect(await answer.text()).toContain("never passed on");
    expect(() => governedFetch({ gate, otherPaths: { "POST /v1/realtime/sessions": "1" } })).toThrow(
      /credentials/,
    );
  });
});

const unavailable = new Refused(
  { code: "service_unavailable", message: "No.", details: {} },
  new Response(null, { status: 503 }),
);

test.each([
  ["a gate that cannot reach the service", new Unreachable("away", {})],
  ["a service that cannot decide and does not say for how long", unavailable],
])("%s answers 503 with a time to come again", async (_, error) => {
  const away: CallGate = { ...gate, decide: () => Promise.reject(error) };
  const body = { model: "gpt-4o", messages: [] };
  const { answer, sent } = await called("https://api.openai.com/v1/chat/completions", body, { gate: away });
  expect([answer.status, answer.headers.get("retry-after"), sent]).toEqual([503, "1", []]);
});
