import { afterAll, beforeAll, expect, test } from "vitest";
import { SET_PRICES } from "../../support/billing-provider/rates.ts";
import { BillingProvider } from "../../support/billing-provider/server.ts";
import { chats } from "../../support/billing-provider/shapes/chat.ts";
import { geminis } from "../../support/billing-provider/shapes/gemini.ts";
import { others, workersAis } from "../../support/billing-provider/shapes/hosts.ts";
import { claude } from "../../support/billing-provider/shapes/messages.ts";
import { openAiOthers } from "../../support/billing-provider/shapes/openai-others.ts";
import { responded } from "../../support/billing-provider/shapes/responses.ts";
import { nanosOf } from "../../support/billing.ts";
import { type Governed, governed } from "../../support/governed.ts";
import { sdkRoad } from "../../support/metered-roads/ai-sdk.ts";
import { bindingRoad } from "../../support/metered-roads/bindings.ts";
import { fetchRoad } from "../../support/metered-roads/fetches.ts";
import { honoRoad } from "../../support/metered-roads/hono.ts";
import { nodeProxy, workerProxy, workerSettings } from "../../support/metered-roads/proxies.ts";
import { type SettledCall, settledCalls } from "../../support/metered-roads/settled.ts";
import { proxyWorkers } from "../../support/runtimes.ts";
import { call } from "../../support/server.ts";

/** Each call of each API by each road: the bill of its provider, by the provider's own table, against the run that we record. */

const SHAPES = [...chats, ...responded, ...openAiOthers, ...claude, ...geminis, ...others, ...workersAis];

type Fault =
  | "below its bill"
  | "above its bill, and exact"
  /** It chooses what we see of its usage, or what it costs. */
  | "not refused"
  | "refused";

interface Charged {
  readonly shape: string;
  readonly fault: Fault;
  /** Default: every road that takes it. */
  readonly roads?: readonly string[];
  readonly lost: string;
}

/** All shapes that are charged below their bill today, or otherwise than they should be. Whoever mends one takes it out. */
const CHARGED_WRONG_TODAY: readonly Charged[] = [
  {
    shape: "messages, length of the cache not told",
    fault: "below its bill",
    lost: "the dearer write of an hour, which the request asked for",
  },
  {
    shape: "DeepSeek's chat, with its own words for a cache",
    fault: "above its bill, and exact",
    lost: "nothing: the price is that of a former model, and its cache is not read",
  },
  {
    shape: "Perplexity's chat",
    fault: "above its bill, and exact",
    lost: "nothing: each request is charged as one of the largest search",
  },
  {
    shape: "chat, lost after the work",
    fault: "below its bill",
    roads: ["Hono"],
    lost: "all of it: a lost answer is taken for one that was not billed",
  },
  {
    shape: "chat, timed out after the work",
    fault: "below its bill",
    roads: ["Hono"],
    lost: "all of it: a lost answer is taken for one that was not billed",
  },
  {
    shape: "response, lost after the work",
    fault: "below its bill",
    roads: ["Hono"],
    lost: "all of it: a lost answer is taken for one that was not billed",
  },
  {
    shape: "messages, lost after the work",
    fault: "below its bill",
    roads: ["Hono"],
    lost: "all of it: a lost answer is taken for one that was not billed",
  },
  {
    shape: "generate, lost after the work",
    fault: "below its bill",
    roads: ["Hono"],
    lost: "all of it: a lost answer is taken for one that was not billed",
  },
  {
    shape: "converse, lost after the work",
    fault: "below its bill",
    roads: ["Hono"],
    lost: "all of it: a lost answer is taken for one that was not billed",
  },
];

const provider = new BillingProvider();
const workerBefore = proxyWorkers(workerSettings);
let org: Governed;
let settled: readonly SettledCall[];

beforeAll(async () => {
  const url = await provider.start();
  org = await governed("1000000");
  for (const { model, price } of SET_PRICES) {
    const path = `/v1/orgs/${org.org}/models/${model}`;
    const { status, text } = await call("PUT", path, { key: org.key, body: price });
    if (status !== 200) throw new Error(`${model} has no price: ${text}`);
  }
  const given = { gate: org.gate, key: org.key, provider: url };
  const roads = [
    nodeProxy(given),
    workerProxy(await workerBefore(url), given),
    fetchRoad(given),
    sdkRoad(given),
    honoRoad(given),
    bindingRoad(given),
  ];
  settled = await settledCalls(roads, SHAPES, { provider, key: org.key });
});
afterAll(() => provider.close());

function faultOf({ shape, bill, charge, estimated }: SettledCall): Fault | null {
  if (shape.isHostile === true) return bill === null ? null : "not refused";
  if (bill === null) return "refused";
  if (charge < bill) return "below its bill";
  return charge > bill && !estimated ? "above its bill, and exact" : null;
}

const line = (road: string, shape: string, fault: Fault) => `${shape}, by ${road}: ${fault}`;

test("every call is charged its bill, or says that it is estimated and is charged no less", () => {
  const found = settled.flatMap((one) => {
    const fault = faultOf(one);
    return fault === null ? [] : [line(one.road, one.shape.name, fault)];
  });
  const listed = CHARGED_WRONG_TODAY.flatMap(({ shape, fault, roads }) => {
    const all = settled.flatMap((one) => (one.shape.name === shape ? [one.road] : []));
    return (roads ?? all).map((road) => line(road, shape, fault));
  });
  expect(found.toSorted()).toEqual(listed.toSorted());
});

test("all runs together are no less than all bills, but for what is listed", () => {
  const right = settled.filter((one) => faultOf(one) === null);
  const exact = right.filter(({ estimated }) => !estimated);
  const sums = (calls: readonly SettledCall[]) => ({
    bills: calls.reduce((sum, { bill }) => sum + (bill ?? 0n), 0n),
    runs: calls.reduce((sum, { charge }) => sum + charge, 0n),
  });
  const [all, equal] = [sums(right), sums(exact)];
  expect(equal.runs).toBe(equal.bills);
  expect(equal.bills).toBeGreaterThan(0n);
  expect(all.runs).toBeGreaterThanOrEqual(all.bills);
});

test("the budget has spent the sum of the runs", async () => {
  const { body } = await call("GET", `/v1/orgs/${org.org}/budgets`, { key: org.key });
  const runs = settled.reduce((sum, { charge }) => sum + charge, 0n);
  expect(nanosOf(body.data[0].spent_usd as string)).toBe(runs);
});
