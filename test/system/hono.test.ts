import { Hono } from "hono";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { StandIn } from "../../scripts/stand-in/server.ts";
import { govern, type SluiceVariables } from "../../src/adapters/hono.ts";
import { type Governed, governed, PROVIDER_KEY, startProvider } from "../support/governed.ts";

/** A Hono app whose routes are governed by the middleware. */

let provider: StandIn;
let slow: StandIn;

beforeAll(async () => {
  provider = await startProvider();
  slow = await startProvider(10);
});
afterAll(() => Promise.all([provider.close(), slow.close()]));

function appOf({ gate }: Governed): Hono<{ Variables: SluiceVariables }> {
  const app = new Hono<{ Variables: SluiceVariables }>();
  const estimate = { input_tokens: 100, max_output_tokens: 10_000 };
  app.use(govern({ gate, ask: (c) => ({ model: "gpt-4o-mini", workflow_id: c.req.path, estimate }) }));
  const send = (url: string, body: object) =>
    fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${PROVIDER_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "gpt-4o-mini",
        messages: [{ role: "user", content: "20 words" }],
        ...body,
      }),
    });
  app.get("/relayed", async () => send(provider.url, {}));
  app.get("/streamed", async () => {
    const messages = [{ role: "user", content: "5000 words" }];
    return send(slow.url, { stream: true, messages });
  });
  app.get("/told", async (c) => {
    c.get("sluice").settle({ usage: { input_tokens: 5, output_tokens: 6 }, cost_usd: "0.003" });
    return c.text("done");
  });
  app.get("/silent", (c) => c.text("something"));
  app.get("/broken", () => {
    throw new Error("no model today");
  });
  app.onError((error, c) => c.text(error.message, 500));
  return app;
}

test("a stream whose reader leaves settles by its counted output", async () => {
  const org = await governed();
  const answer = await appOf(org).request("/streamed");
  const reader = answer.body?.getReader();
  for (let chunk = 0; chunk < 5; chunk += 1) await reader?.read();
  await reader?.cancel();
  const [run] = await org.runs(1);
  expect(run).toMatchObject({ outcome: "cancelled", estimated: true, usage: { input_tokens: 100 } });
  expect(run?.["usage"].output_tokens).toBeGreaterThan(0);
  expect(run?.["usage"].output_tokens).toBeLessThanOrEqual(10_000);
});

test("what the handler says counts, and a handler that says nothing is charged what was reserved", async () => {
  const org = await governed();
  const app = appOf(org);
  await (await app.request("/told")).text();
  await (await app.request("/silent")).text();
  const [told, silent] = await org.runs(2);
  expect(told).toMatchObject({
    cost_usd: "0.003",
    usage: { input_tokens: 5, output_tokens: 6 },
    estimated: false,
  });
  expect(silent).toMatchObject({ estimated: true, cost_source: "caller" });
  expect(Number(silent?.["cost_usd"])).toBeGreaterThan(0.006);
});

test("a handler that throws costs nothing", async () => {
  const org = await governed();
  expect((await appOf(org).request("/broken")).status).toBe(500);
  const [run] = await org.runs(1);
  expect(run).toMatchObject({ outcome: "failed", cost_usd: "0.00" });
});

test("a refused route answers with the refusal, and its handler does not run", async () => {
  const org = await governed("0");
  const before = provider.served.length;
  const answer = await appOf(org).request("/relayed");
  expect(answer.status).toBe(402);
  expect(await answer.json()).toMatchObject({
    error: { code: "budget_exceeded", details: { limit_usd: "0.00" } },
  });
  expect(provider.served).toHaveLength(before);
});
