import { Hono } from "hono";
import { expect, test } from "vitest";
import { governedFetch } from "../../src/adapters/fetch.ts";
import type { CallGate } from "../../src/adapters/governed-call.ts";
import { govern, type SluiceVariables } from "../../src/adapters/hono.ts";

/** Runs and refusals are sent on as spans below the caller's own, whichever way its call came. */

const TRACEPARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const CALL = { model: "gpt-4o", messages: [], max_tokens: 10 };

/** A gate that writes down the span of each decision and of each run. */
function writingDown() {
  const spans: unknown[] = [];
  const gate: CallGate = {
    decide: async (_, options) => (spans.push(options?.traceparent), { reservation: null } as never),
    settle: (_, run) => void spans.push(run.traceparent),
    release: async () => undefined,
    knownFacts: {
      checks: "limits",
      countedBy: new Set(),
      scansInput: false,
      sendsSpans: true,
      fallbacks: null,
    },
  };
  return { gate, spans };
}

test("governedFetch", async () => {
  const { gate, spans } = writingDown();
  const fetch = governedFetch({ gate, fetch: async () => Response.json({ usage: {} }) });
  const answer = await fetch("https://api.openai.com/v1/chat/completions", {
    method: "POST",
    headers: { traceparent: TRACEPARENT },
    body: JSON.stringify(CALL),
  });
  await answer.text();
  expect(spans).toEqual([TRACEPARENT, TRACEPARENT]);
});

test("the Hono middleware", async () => {
  const { gate, spans } = writingDown();
  const app = new Hono<{ Variables: SluiceVariables }>();
  app.use(govern({ gate, ask: () => ({ model: "gpt-4o", estimate: { cost_usd: "0.01" } }) }));
  app.post("/", (context) => context.json({ usage: { prompt_tokens: 1, completion_tokens: 1 } }));
  const answer = await app.request("/", { method: "POST", headers: { traceparent: TRACEPARENT } });
  await answer.text();
  expect(spans).toEqual([TRACEPARENT, TRACEPARENT]);
});
