import { expect, test } from "vitest";
import { governed } from "../support/governed.ts";
import { providerThat, proxyBefore } from "../support/hostile-provider.ts";

/** What hosted tools may cost is reserved before the call, and what they did cost is charged after it. */

const ask = (more: object) =>
  JSON.stringify({
    model: "gpt-4o-mini",
    input: "hi",
    max_output_tokens: 100,
    tools: [{ type: "web_search" }],
    ...more,
  });

test("a call whose searches a limit has no room for is not sent", async () => {
  const org = await governed("0.20");
  const searched = JSON.stringify({
    usage: { input_tokens: 10, output_tokens: 5 },
    output: [{ type: "web_search_call" }, { type: "web_search_call" }, { type: "message" }],
  });
  const { url, got } = await providerThat((_, response) => {
    response.setHeader("content-type", "application/json");
    response.end(searched);
  });
  const send = (more: object) => proxyBefore(url)("/openai/v1/responses", { key: org.key, body: ask(more) });
  const refused = await send({ max_tool_calls: 16 });
  expect([refused.status, await refused.json()]).toMatchObject([402, { error: { code: "budget_exceeded" } }]);
  expect(got).toHaveLength(0);
  expect(await (await send({ max_tool_calls: 5 })).text()).toBe(searched);
  const [run] = await org.runs(1);
  expect(run).toMatchObject({ usage: { input_tokens: 16_010, units: { web_search: 2 } } });
  expect(Number(run?.["cost_usd"])).toBeGreaterThan(0.022);
  expect(Number(run?.["cost_usd"])).toBeLessThan(0.023);
});
