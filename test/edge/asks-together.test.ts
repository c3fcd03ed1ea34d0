import { createExecutionContext } from "cloudflare:test";
import { expect, test } from "vitest";
import { DECIDED_HEADER } from "../../src/contract/headers.ts";
import type { Env } from "../../src/edge/env.ts";
import worker from "../../src/index.ts";
import type { PlainCall } from "../../src/org/decision-batch.ts";
import { lengthenLives, useRealLives } from "../support/lives.ts";
import { call, env, newOrg, type TestOrg } from "../support/worker.ts";

/** Many decisions of one org at the same moment, through one isolate. */

useRealLives();

const ASKS = 64;
const ROOM = 20;

interface Noted {
  /** Of each call that asked for several decisions: how many. */
  readonly together: number[];
  alone: number;
}

/** The Worker's environment, with calls for decisions noted. `failure`: of those for several. */
function noting(noted: Noted, failure: Error | null): Env {
  const stubOf = (name: string) => {
    const stub = env.ORG.getByName(name);
    return new Proxy(stub, {
      get:
        (_, method: string) =>
        (given: string, ...more: unknown[]) => {
          if (method === "decide") noted.alone += 1;
          if (method === "decideTogether") {
            noted.together.push((JSON.parse(given) as PlainCall[]).length);
            if (failure !== null) return Promise.reject(failure);
          }
          const methods = stub as unknown as Record<string, (...args: unknown[]) => unknown>;
          return methods[method]?.(given, ...more);
        },
    });
  };
  return { ...env, ORG: { getByName: stubOf } as unknown as Env["ORG"] };
}

async function decide(org: TestOrg, by: Env, more: object = {}) {
  // Too long for a slice, so that the object decides.
  const body = JSON.stringify({ estimate: { cost_usd: "1" }, hold_seconds: 3600, ...more });
  const headers = {
    authorization: `Bearer ${org.ownerKey}`,
    "content-type": "application/json",
    "content-length": String(body.length),
  };
  const request = new Request("http://sluice.test/v1/edge/decision", { method: "POST", headers, body });
  const incoming = request as Parameters<typeof worker.fetch>[0];
  const response = await worker.fetch(incoming, by, createExecutionContext());
  const { status, headers: told } = response;
  return { status, text: await response.text(), decided: told.get(DECIDED_HEADER) };
}

async function budgeted(room = ROOM, beforeFirst: () => void = () => undefined) {
  const org = await newOrg();
  const path = `/v1/orgs/${org.id}/budgets`;
  const limit = { scope_kind: "org", limit_usd: String(room), period: "total", mode: "enforce" };
  expect((await call("POST", path, { key: org.ownerKey, body: limit })).status).toBe(201);
  const reserved = async () => (await call("GET", path, { key: org.ownerKey })).body.data[0].reserved_usd;
  beforeFirst();
  // The isolate knows the key.
  await decide(org, env, { dry_run: true });
  return { ...org, reserved };
}

const many = <T>(ask: (at: number) => Promise<T>) =>
  Promise.all(Array.from({ length: ASKS }, (_, at) => ask(at)));

const statusesOf = (answers: readonly { readonly status: number }[]) =>
  Object.groupBy(
    answers.map(({ status }) => status),
    String,
  );

test("they share calls to its object, and exactly what fits is admitted", async () => {
  const org = await budgeted();
  const noted: Noted = { together: [], alone: 0 };
  const by = noting(noted, null);
  const answers = await many(() => decide(org, by));
  const { 200: allowed = [], 402: refused = [] } = statusesOf(answers);
  expect([allowed.length, refused.length]).toEqual([ROOM, ASKS - ROOM]);
  expect(await org.reserved()).toBe(`${ROOM}.00`);
  expect(noted.alone).toBe(0);
  expect(noted.together.reduce((sum, asks) => sum + asks, 0)).toBe(ASKS);
  expect(noted.together.length).toBeLessThan(ASKS / 4);
});

test("a request that is among them several times gets one reservation", async () => {
  const org = await budgeted();
  const answers = await many((at) => decide(org, env, { request_id: `req_${at % 4}` }));
  expect(Object.keys(statusesOf(answers))).toEqual(["200"]);
  expect(new Set(answers.map(({ text }) => JSON.parse(text).reservation.id)).size).toBe(4);
  expect(await org.reserved()).toBe("4.00");
});

test("one that is malformed or cannot be priced is refused by itself", async () => {
  const org = await budgeted();
  const answers = await many((at) =>
    decide(org, env, at % 8 === 0 ? { model: "acme/unknown", estimate: { input_tokens: 1 } } : {}),
  );
  const { 200: allowed = [], 402: refused = [], 422: malformed = [] } = statusesOf(answers);
  expect([allowed.length, refused.length, malformed.length]).toEqual([ROOM, 56 - ROOM, 8]);
  expect(await org.reserved()).toBe(`${ROOM}.00`);
});

test("if the call fails, none of them is admitted, and later ones are decided", async () => {
  const org = await budgeted();
  const answers = await many(() => decide(org, noting({ together: [], alone: 0 }, new Error("broken off"))));
  expect(Object.keys(statusesOf(answers))).toEqual(["503"]);
  expect(await org.reserved()).toBe("0.00");
  expect((await decide(org, env)).status).toBe(200);
});

/** Calls like these can be decided from slices. */
const SHORT_HOLD = { estimate: { cost_usd: "0.01" }, hold_seconds: 60 };
const MUCH = 100_000;

test("calls of customers whom the isolate sees for the first time share calls to the object, and the next ones need none", async () => {
  const org = await budgeted(MUCH, lengthenLives);
  const limit = { customer_id: "*", limit_usd: String(MUCH), period: "total" };
  const path = `/v1/orgs/${org.id}/customer-limits`;
  expect((await call("POST", path, { key: org.ownerKey, body: limit })).status).toBe(201);
  const noted: Noted = { together: [], alone: 0 };
  const by = noting(noted, null);
  await many(() => decide(org, by, SHORT_HOLD));
  noted.together.length = 0;
  noted.alone = 0;
  const ofCustomers = () => many((at) => decide(org, by, { ...SHORT_HOLD, customer_id: `cus_${at}` }));
  expect(Object.keys(statusesOf(await ofCustomers()))).toEqual(["200"]);
  expect([noted.alone, noted.together.reduce((sum, asks) => sum + asks, 0)]).toEqual([0, ASKS]);
  expect(noted.together.length).toBeLessThan(ASKS / 4);
  // Slices come with the next exchange.
  await expect
    .poll(async () => (await ofCustomers()).filter(({ decided }) => decided === "edge").length)
    .toBe(ASKS);
});

test("steady calls that share calls to the object are soon decided in the isolate", async () => {
  const org = await budgeted(MUCH, lengthenLives);
  const noted: Noted = { together: [], alone: 0 };
  const by = noting(noted, null);
  let inIsolate = 0;
  for (let round = 0; round < 10 && inIsolate < ASKS; round += 1) {
    const answers = await many(() => decide(org, by, SHORT_HOLD));
    expect(Object.keys(statusesOf(answers))).toEqual(["200"]);
    inIsolate = answers.filter(({ decided }) => decided === "edge").length;
  }
  expect(inIsolate).toBe(ASKS);
  expect(noted.together.length).toBeGreaterThan(0);
});
