import { expect, test } from "vitest";
import { governedFetch } from "../../src/adapters/fetch.ts";
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
