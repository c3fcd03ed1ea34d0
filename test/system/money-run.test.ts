import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { governedFetch } from "../../src/adapters/fetch.ts";
import { createGate } from "../../src/client/gate/index.ts";
import { nanosOf } from "../support/billing.ts";
import { PROVIDER_KEY, type Recorded } from "../support/governed.ts";
import { proxyBefore } from "../support/hostile-provider.ts";
import { proxyWorkers } from "../support/runtimes.ts";
import { call, newOrg, sharedServer } from "../support/server.ts";
import {
  type AfterLeaving,
  NAME,
  overSocket,
  piecesOf,
  readAndLeave,
  SteppedProvider,
} from "../support/stepped-provider.ts";
import { PATIENCE_MS } from "../support/patience.ts";

/**
 * Four embedded gates, proxies in workerd and in Node and callers over HTTP spend one budget, and leave a third of their streams. What equals what, to the nano-dollar:
 *
 * - A stream that was read to its end, or whose end came within the grace, costs exactly what the provider bills.
 * - A stream that was stopped before its usage costs what is known of it at most: no less than the provider bills.
 * - So all bills together are at most all runs together, which are what the budget says that was spent: never over its limit.
 */

const LIMIT_USD = "0.006";
const WORDS = 40;
const PATH = "/v1/chat/completions";
const BODY = JSON.stringify({
  model: "gpt-4o-mini",
  stream: true,
  stream_options: { include_usage: true },
  max_completion_tokens: WORDS,
  messages: [{ role: "user", content: `Say ${WORDS} words.` }],
});
const PIECES = piecesOf(PATH, BODY).pieces.length;
/** A stream that falls silent is stopped soon, and one that goes on has all the time that it needs. */
const GRACES: Readonly<Record<AfterLeaving, number>> = { "goes on": 60_000, "falls silent": 20 };
/** Refusals in a row after which a caller takes the budget for full: what others have reserved may come back. */
const MOST_REFUSALS = 4;

const provider = new SteppedProvider();
const workerBefore = {
  "goes on": proxyWorkers({ PROXY_LEAVE_GRACE_MS: String(GRACES["goes on"]) }),
  "falls silent": proxyWorkers({ PROXY_LEAVE_GRACE_MS: String(GRACES["falls silent"]) }),
} as const;
let url = "";
const workers = { "goes on": "", "falls silent": "" };
beforeAll(async () => {
  url = await provider.start();
  for (const after of ["goes on", "falls silent"] as const) workers[after] = await workerBefore[after](url);
});
afterAll(() => provider.close());

interface Call {
  readonly name: string;
  readonly after: AfterLeaving;
  readonly signal: AbortSignal;
}

/** Makes a call. The answer is the provider's, or a refusal. */
type Caller = (one: Call) => Promise<Response>;

const headersOf = (key: string, name: string) => ({
  authorization: `Bearer ${key}`,
  "content-type": "application/json",
  [NAME]: name,
});

function gateCaller(key: string, at: number): Caller {
  const { urls } = sharedServer();
  const gate = createGate({
    url: urls[at % urls.length] ?? urls[0],
    key,
    flushMs: 20,
    timeoutMs: PATIENCE_MS,
  });
  onTestFinished(() => gate.close());
  return ({ name, after, signal }) =>
    governedFetch({ gate, provider: "openai", ask: { workflow_id: name }, leaveGraceMs: GRACES[after] })(
      url + PATH,
      {
        method: "POST",
        headers: headersOf(PROVIDER_KEY, name),
        body: BODY,
        signal,
      },
    );
}

const workerCaller =
  (key: string): Caller =>
  ({ name, after, signal }) => {
    const headers = { ...headersOf(key, name), "x-sluice-workflow-id": name };
    return overSocket(`${workers[after]}/openai${PATH}`, { headers, body: BODY, signal });
  };

function nodeCaller(key: string): Caller {
  const proxies = {
    "goes on": proxyBefore(url, { leaveGraceMs: GRACES["goes on"] }),
    "falls silent": proxyBefore(url, { leaveGraceMs: GRACES["falls silent"] }),
  };
  return ({ name, after, signal }) => {
    const headers = { ...headersOf(key, name), "x-sluice-workflow-id": name };
    return proxies[after](`/openai${PATH}`, { headers, body: BODY, signal });
  };
}

/** Asks over HTTP, calls the provider by itself, and reports the usage that it read. It stays to the end. */
const httpCaller =
  (key: string, at: number): Caller =>
  async ({ name }) => {
    const { urls } = sharedServer();
    const headers = headersOf(key, name);
    const decision = await fetch(`${urls[at % urls.length] ?? urls[0]}/v1/edge/decision`, {
      method: "POST",
      headers,
      body: JSON.stringify({
        model: "gpt-4o-mini",
        workflow_id: name,
        on_expiry: "charge",
        estimate: { input_tokens: BODY.length, max_output_tokens: WORDS },
      }),
    });
    if (decision.status !== 200) return decision;
    const { reservation } = (await decision.json()) as { reservation: { id: string } };
    const started_at = new Date().toISOString();
    const answer = await fetch(url + PATH, {
      method: "POST",
      headers: headersOf(PROVIDER_KEY, name),
      body: BODY,
    });
    const text = await answer.text();
    const [, input, output] = /"prompt_tokens":(\d+),"completion_tokens":(\d+)/.exec(text) ?? [];
    const usage = { input_tokens: Number(input), output_tokens: Number(output) };
    const run = {
      started_at,
      model: "gpt-4o-mini",
      workflow_id: name,
      reservation_id: reservation.id,
      usage,
    };
    expect((await call("POST", "/v1/runs", { key, body: run })).status).toBe(201);
    return new Response(text);
  };

/** Streams until the budget is full, and leaves every third one after some event. Returns how many calls were answered. */
async function spend(caller: Caller, who: string, leaves: boolean): Promise<number> {
  let answered = 0;
  for (let made = 0, refusals = 0; refusals < MOST_REFUSALS; made += 1) {
    const name = `${who}-${made}`;
    const isLeft = leaves && made % 3 === 0;
    // After a few events, after most, and around the end.
    const events = (made * 7) % (PIECES + 1);
    const after = made % 2 === 0 ? "goes on" : "falls silent";
    if (isLeft) provider.plans.set(name, { events, after });
    const stop = new AbortController();
    const answer = await caller({ name, after, signal: stop.signal });
    if (answer.status !== 200) {
      expect([402, 503]).toContain(answer.status);
      await answer.body?.cancel();
      refusals += 1;
      await sleep(200);
      continue;
    }
    refusals = 0;
    answered += 1;
    if (!isLeft) await answer.arrayBuffer();
    else {
      await readAndLeave(answer, events, () => stop.abort());
      provider.callerHasLeft(name);
    }
  }
  return answered;
}

async function runsOf(key: string, count: number): Promise<Recorded[]> {
  const all = async () => {
    const found: Recorded[] = [];
    for (let cursor = ""; ;) {
      const { body } = await call("GET", `/v1/runs?limit=200${cursor}`, { key });
      found.push(...(body.data as Recorded[]));
      if (!body.next_cursor) return found;
      cursor = `&cursor=${encodeURIComponent(String(body.next_cursor))}`;
    }
  };
  await expect.poll(async () => (await all()).length).toBeGreaterThanOrEqual(count);
  return all();
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, one) => total + one, 0n);

test("what the provider bills never passes the limit, and is what the runs say", async () => {
  const { id, ownerKey: key } = await newOrg();
  const path = `/v1/orgs/${id}/budgets`;
  const budget = { scope_kind: "org", limit_usd: LIMIT_USD, period: "total" };
  const { body: made } = await call("POST", path, { key, body: budget });
  const callers: readonly (readonly [string, Caller, boolean])[] = [
    ...[0, 1, 2, 3].map((at) => [`gate${at}`, gateCaller(key, at), true] as const),
    ["worker", workerCaller(key), true],
    ["node", nodeCaller(key), true],
    ...[0, 1].map((at) => [`http${at}`, httpCaller(key, at), false] as const),
  ];
  const answered = await Promise.all(
    callers.map(([who, caller, leaves]) => spend(caller, `${id}-${who}`, leaves)),
  );
  const names = [...provider.bills.keys()].filter((name) => name.startsWith(id));
  expect(names).toHaveLength(answered.reduce((total, count) => total + count, 0));
  const runs = await runsOf(key, names.length);
  expect(new Set(runs.map((run) => run["workflow_id"]))).toEqual(new Set(names));
  expect(runs).toHaveLength(names.length);

  for (const run of runs) {
    const name = String(run["workflow_id"]);
    const [charged, billed] = [nanosOf(String(run["cost_usd"])), provider.bills.get(name) ?? -1n];
    if (run["estimated"] === false) expect([name, charged]).toEqual([name, billed]);
    else expect(charged).toBeGreaterThanOrEqual(billed);
    // Only a stream that fell silent is not known to its end.
    if (run["estimated"] === true) expect(provider.plans.get(name)?.after).toBe("falls silent");
  }
  const [bills, charges] = [
    sum(names.map((name) => provider.bills.get(name) ?? 0n)),
    sum(runs.map((run) => nanosOf(String(run["cost_usd"])))),
  ];
  const { body: spent } = await call("GET", `${path}/${made.id}`, { key });
  expect(charges).toBe(nanosOf(String(spent.spent_usd)));
  expect(bills).toBeLessThanOrEqual(charges);
  expect(charges).toBeLessThanOrEqual(nanosOf(LIMIT_USD));
  // The mirror: the budget was used, by all of them, and a part of the streams was left either way.
  expect(charges * 10n).toBeGreaterThan(nanosOf(LIMIT_USD) * 8n);
  expect(Math.min(...answered)).toBeGreaterThan(0);
  for (const after of ["goes on", "falls silent"])
    expect(names.some((name) => provider.plans.get(name)?.after === after)).toBe(true);
});
