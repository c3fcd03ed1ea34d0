import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { governedFetch } from "../../src/adapters/fetch.ts";
import { nanosOf } from "../support/billing.ts";
import { type Governed, governed, PROVIDER_KEY, type Recorded } from "../support/governed.ts";
import { proxyBefore } from "../support/hostile-provider.ts";
import { proxyWorkers } from "../support/runtimes.ts";
import {
  type AfterLeaving,
  NAME,
  overSocket,
  piecesOf,
  readAndLeave,
  SteppedProvider,
} from "../support/stepped-provider.ts";

/** A caller that leaves a stream pays for what the provider bills, after whichever event it goes. */

const WORDS = 4;
const prompt = `Say ${WORDS} words.`;
const messages = [{ role: "user", content: prompt }];
const STREAMS = [
  {
    api: "chat",
    path: "/v1/chat/completions",
    provider: "openai",
    model: "gpt-4o-mini",
    asked: { messages, max_completion_tokens: 100, stream_options: { include_usage: true } },
  },
  {
    api: "responses",
    path: "/v1/responses",
    provider: "openai",
    model: "gpt-4o-mini",
    asked: { input: prompt, max_output_tokens: 100 },
  },
  {
    api: "messages",
    path: "/v1/messages",
    provider: "anthropic",
    model: "claude-sonnet-4-5",
    asked: { messages, max_tokens: 100 },
  },
] as const;
type Stream = (typeof STREAMS)[number];

const bodyOf = ({ model, asked }: Stream): string => JSON.stringify({ model, stream: true, ...asked });

const piecesIn = (stream: Stream): number => piecesOf(stream.path, bodyOf(stream)).pieces.length;

const provider = new SteppedProvider();
const GRACES = { "goes on": 60_000, "falls silent": 20 } as const;
const workerOf = {
  "goes on": proxyWorkers({ PROXY_LEAVE_GRACE_MS: String(GRACES["goes on"]) }),
  "falls silent": proxyWorkers({ PROXY_LEAVE_GRACE_MS: String(GRACES["falls silent"]) }),
} as const;
let url = "";
const workers = { "goes on": "", "falls silent": "" };

beforeAll(async () => {
  url = await provider.start();
  for (const after of ["goes on", "falls silent"] as const) workers[after] = await workerOf[after](url);
});
afterAll(() => provider.close());

interface Left {
  readonly org: Governed;
  readonly stream: Stream;
  readonly after: AfterLeaving;
  /** By which the run of the call is found. */
  readonly name: string;
  readonly signal: AbortSignal;
}

const headersOf = (key: string, name: string) => ({
  authorization: `Bearer ${key}`,
  "content-type": "application/json",
  "x-sluice-workflow-id": name,
  [NAME]: name,
});

const WAYS: Readonly<Record<string, (left: Left) => Promise<Response>>> = {
  "the proxy in workerd": ({ org, stream, after, name, signal }) =>
    overSocket(`${workers[after]}/${stream.provider}${stream.path}`, {
      headers: headersOf(org.key, name),
      body: bodyOf(stream),
      signal,
    }),
  "the proxy in Node": ({ org, stream, after, name, signal }) =>
    proxyBefore(url, { leaveGraceMs: GRACES[after] })(`/${stream.provider}${stream.path}`, {
      headers: headersOf(org.key, name),
      body: bodyOf(stream),
      signal,
    }),
  governedFetch: ({ org, stream, after, name, signal }) =>
    governedFetch({
      gate: org.gate,
      provider: stream.provider,
      ask: { workflow_id: name },
      leaveGraceMs: GRACES[after],
    })(url + stream.path, {
      method: "POST",
      headers: { authorization: `Bearer ${PROVIDER_KEY}`, [NAME]: name },
      body: bodyOf(stream),
      signal,
    }),
};

describe.each(Object.entries(WAYS))("%s", (_, send) => {
  describe.each(["goes on", "falls silent"] as const)("with a provider that %s", (after) => {
    test.each(STREAMS)("$api", async (stream) => {
      const org = await governed();
      const names = new Set<string>();
      for (let events = 0; events <= piecesIn(stream); events += 1) {
        const name = `${org.org}-${events}`;
        names.add(name);
        const caller = new AbortController();
        provider.plans.set(name, { events, after });
        const answer = await send({ org, stream, after, name, signal: caller.signal });
        await readAndLeave(answer, events, () => caller.abort());
        provider.callerHasLeft(name);
      }
      const runs = await org.runs(names.size);
      expect(new Set(runs.map((run) => run["workflow_id"]))).toEqual(names);
      for (const run of runs) expectPaid(run, provider.bills.get(String(run["workflow_id"])) ?? -1n, after);
      await expect.poll(org.reserved).toBe("0.00");
    });
  });
});

/** A stream whose end was seen costs what is billed. One that was stopped before costs that or more. */
function expectPaid(run: Recorded, billed: bigint, after: AfterLeaving): void {
  const charged = nanosOf(String(run["cost_usd"]));
  expect(billed).toBeGreaterThan(0n);
  if (after === "goes on") expect([run["workflow_id"], charged]).toEqual([run["workflow_id"], billed]);
  else expect([run["workflow_id"], charged >= billed]).toEqual([run["workflow_id"], true]);
}
