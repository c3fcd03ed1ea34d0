import { createExecutionContext, runInDurableObject } from "cloudflare:test";
import { describe, expect, test, vi } from "vitest";
import { subjectsOf } from "../../scripts/bench/edge-traffic.ts";
import { createGate } from "../../src/client/gate/index.ts";
import { gates } from "../../src/edge/decision/gates.ts";
import front, { type FrontEnv } from "../../src/front.ts";
import { Gates } from "../../src/gate/gates.ts";
import { Purse } from "../../src/gate/lease/purse.ts";
import { OrgGate } from "../../src/gate/org-gate.ts";
import { newSpender, type Spender } from "../support/ledger.ts";
import { useRealLives } from "../support/lives.ts";
import { VirtualTime } from "../support/virtual-time.ts";
import { env, serve } from "../support/worker.ts";

/** Isolates and gates that call for many customers, each with a limit of its own, with the real object and in virtual time. */

useRealLives();

const FAR = "900000000";
const ISOLATES = 2;
const WARM_UP_SECONDS = 10;
const MOST_ROWS = 0.3;
const ESTIMATE = { cost_usd: "0.01", input_tokens: 900, max_output_tokens: 100 };
const customer = (subject: number) => ({ customer_id: `cus_${subject}`, estimate: ESTIMATE });
const user = (subject: number) => ({ user_id: `user_${subject}`, estimate: ESTIMATE });
const checked = (subject: number) => ({ ...customer(subject), checks: "all", model: "acme/m1", input: "Hi" });

interface Traffic {
  readonly subjects: number;
  readonly perSecond: number;
  readonly seconds: number;
}

/** Whether the isolate decided a call for a subject by itself. */
type Ask = (isolate: number, subject: number) => Promise<boolean>;

type Served = (address: string, init: RequestInit) => Promise<Response>;

/** Each isolate has gates and callers of its own. The rest of this one stands for all of them. */
async function overHttp(
  org: Spender,
  bodyOf: (subject: number) => object,
  over: Served = serve,
): Promise<Ask> {
  const all = Array.from({ length: ISOLATES }, () => new Gates(() => crypto.randomUUID()));
  const keys: string[] = [];
  for (let key = 0; key < ISOLATES; key += 1) {
    keys.push((await org.send("POST", "keys", { name: `isolate ${key}`, role: "developer" })).body.key);
  }
  let current = all[0];
  vi.spyOn(gates, "of").mockImplementation((id) => current?.of(id) ?? null);
  return async (isolate, subject) => {
    current = all[isolate];
    const body = JSON.stringify(bodyOf(subject));
    const headers = {
      authorization: `Bearer ${keys[isolate]}`,
      "content-type": "application/json",
      "content-length": String(body.length),
    };
    const response = await over("http://sluice.test/v1/edge/decision", { method: "POST", headers, body });
    expect(response.status).toBe(200);
    await response.text();
    return response.headers.get("x-svc-decided") === "edge";
  };
}

function inProcesses(org: Spender): Ask {
  const all = Array.from({ length: ISOLATES }, () =>
    createGate({ key: org.key, url: "http://sluice.test", fetch: serve }),
  );
  return async (isolate, subject) => {
    const gate = all[isolate];
    const before = gate?.stats.allowedHere ?? 0;
    expect(await gate?.decide(customer(subject))).toMatchObject({ decision: "allow" });
    return (gate?.stats.allowedHere ?? 0) > before;
  };
}

/** Rows that the object writes, from now on. */
async function rowsWritten({ id }: Spender): Promise<() => Promise<number>> {
  const stub = env.ORG.getByName(id);
  const cursors: { readonly rowsWritten: number }[] = [];
  await runInDurableObject(stub, (_object, { storage }) => {
    const { sql } = storage;
    const exec = sql.exec.bind(sql);
    const counted = (...given: Parameters<typeof exec>) => {
      const cursor = exec(...given);
      cursors.push(cursor);
      return cursor;
    };
    Object.defineProperty(sql, "exec", { value: counted });
    // It would ring by the clock of the machine, and due work folds the journal.
    Object.defineProperty(storage, "setAlarm", { value: () => Promise.resolve() });
  });
  return () =>
    runInDurableObject(stub, () => cursors.splice(0).reduce((sum, cursor) => sum + cursor.rowsWritten, 0));
}

/** Waits until each exchange under way is answered, so that an object on a busy machine answers in time as well. */
function exchanges(): () => Promise<void> {
  const asks = vi.spyOn(Purse.prototype, "ask");
  const answers = vi.spyOn(OrgGate.prototype, "answered");
  return async () => {
    while (answers.mock.calls.length < asks.mock.calls.length) await scheduler.wait(1);
    asks.mockClear();
    answers.mockClear();
  };
}

/** The share that isolates decide and the rows for each decision, after ten seconds of the same traffic. */
async function measured(org: Spender, ask: Ask, { subjects, perSecond, seconds }: Traffic) {
  const written = await rowsWritten(org);
  const next = Array.from({ length: ISOLATES }, () => subjectsOf("evenly", subjects));
  const time = new VirtualTime();
  const exchanged = exchanges();
  const drive = async (forSeconds: number): Promise<number> => {
    let here = 0;
    for (let call = 0; call < perSecond * forSeconds; call += 1) {
      for (const [isolate, of] of next.entries()) {
        if (await ask(isolate, of())) here += 1;
        time.advance(1000 / perSecond / ISOLATES);
        await exchanged();
      }
    }
    return here / (perSecond * forSeconds * ISOLATES);
  };
  await drive(WARM_UP_SECONDS);
  await written();
  const share = await drive(seconds);
  const rows = (await written()) / (perSecond * seconds * ISOLATES);
  return { share, rows };
}

const EIGHT = { subjects: 8, perSecond: 20, seconds: 10 } as const;
const HUNDRED = { subjects: 100, perSecond: 100, seconds: 5 } as const;
const THOUSAND = { subjects: 1000, perSecond: 100, seconds: 4 } as const;

async function customerLimits(org: Spender): Promise<void> {
  await org.send("POST", "customer-limits", { customer_id: "*", limit_usd: FAR, period: "month" });
}

/** A limit for each customer, a plan, two budgets that match calls and a rate limit in tokens for each customer. */
async function everything(org: Spender): Promise<void> {
  await customerLimits(org);
  for (const match of [{ model: "acme/*" }, { model: "acme/m1" }]) {
    expect((await org.send("POST", "budgets", { match, limit: FAR, period: "month" })).status).toBe(201);
  }
  const plan = { runs_limit: 1_000_000_000, tokens_limit: 1_000_000_000_000, overage_policy: "block" };
  expect((await org.operate("PUT", "/v1/admin/plans/edge-shares", plan)).status).toBeLessThan(300);
  expect((await org.operate("PATCH", "/v1/admin/orgs/{org}", { plan: "edge-shares" })).status).toBe(200);
  const match = { route: "POST /v1/edge/decision", customer_id: "*" };
  const policy = { name: "each", match, unit: "tokens", limit: 1e12, window_seconds: 60, kind: "rate" };
  const rates = { read_rpm: null, policies: [policy] };
  expect((await org.operate("PUT", "/v1/admin/orgs/{org}/rate-limits", rates)).status).toBe(200);
}

describe("after 10 s, of calls far from the limits of many subjects, isolates decide", () => {
  test.each([
    ["0.99 of 8 customers", EIGHT, 0.99],
    ["0.97 of 100 customers", HUNDRED, 0.97],
    ["0.9 of 1,000 customers", THOUSAND, 0.9],
  ] as const)("at least %s", async (_name, traffic, least) => {
    const org = await newSpender();
    await customerLimits(org);
    const { share, rows } = await measured(org, await overHttp(org, customer), traffic);
    expect(share).toBeGreaterThanOrEqual(least);
    expect(rows).toBeLessThanOrEqual(MOST_ROWS);
  });

  test.each(["usd", "tokens", "runs"] as const)(
    "at least 0.99 of 8 users with a limit in %s",
    async (unit) => {
      const org = await newSpender();
      const budget = { match: {}, group_by: ["user_id"], unit, limit: FAR, period: "month" };
      expect((await org.send("POST", "budgets", budget)).status).toBe(201);
      const { share, rows } = await measured(org, await overHttp(org, user), EIGHT);
      expect(share).toBeGreaterThanOrEqual(0.99);
      expect(rows).toBeLessThanOrEqual(MOST_ROWS);
    },
  );

  test.each([
    ["8 customers", EIGHT, 0.99],
    ["100 customers", HUNDRED, 0.97],
    ["1,000 customers", THOUSAND, 0.9],
  ] as const)("at most 2 points less of %s with everything in force", async (_name, traffic, least) => {
    const org = await newSpender();
    await everything(org);
    const { share, rows } = await measured(org, await overHttp(org, checked), traffic);
    expect(share).toBeGreaterThanOrEqual(least - 0.02);
    expect(rows).toBeLessThanOrEqual(MOST_ROWS);
  });

  test("the same in the front Worker", async () => {
    const org = await newSpender();
    await customerLimits(org);
    const behind = { ...env, REST: { fetch: serve } } as unknown as FrontEnv;
    const inFront: Served = async (address, init) => {
      const request = new Request(address, init) as Parameters<typeof front.fetch>[0];
      return front.fetch(request, behind, createExecutionContext());
    };
    const { share, rows } = await measured(org, await overHttp(org, customer, inFront), HUNDRED);
    expect(share).toBeGreaterThanOrEqual(0.97);
    expect(rows).toBeLessThanOrEqual(MOST_ROWS);
  });

  test("the same in gates in callers' processes", async () => {
    const org = await newSpender();
    await customerLimits(org);
    const { share, rows } = await measured(org, inProcesses(org), THOUSAND);
    expect(share).toBeGreaterThanOrEqual(0.9);
    expect(rows).toBeLessThanOrEqual(MOST_ROWS);
  });
});
