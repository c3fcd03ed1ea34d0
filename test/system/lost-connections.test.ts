import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createGate } from "../../src/client/gate/index.ts";
import { Sluice } from "../../src/client/index.ts";
import { http } from "../support/http.ts";
import { type ServerFixture, serverFixture } from "../support/server.ts";
import { PATIENCE_MS } from "../support/patience.ts";

/** A runtime that does not get to run for longer than it keeps idle connections, and callers that wait for it meanwhile. */

const STOPPED_MS = 6000;
const CALLS = 20;
const DISPATCHER = Symbol.for("undici.globalDispatcher.1");

let fixture: ServerFixture;
let url: string;
let key: string;
let orgPath: string;

beforeAll(async () => {
  fixture = await serverFixture();
  url = fixture.server.urls[0];
  const operator = fixture.server.settings["SVC_OPERATOR_KEY"] ?? "";
  const { body } = await http("POST", `${url}/v1/admin/orgs`, { key: operator, body: { name: "Acme" } });
  key = body.owner_key;
  orgPath = `${url}/v1/orgs/${body.org.id}`;
});
afterAll(() => fixture.end());

/** What is done while the runtime is stopped. */
async function whileStopped<T>(work: () => Promise<T>): Promise<T> {
  const pid = Number(readFileSync(join(fixture.server.folder.path, "workerd.pid"), "utf8"));
  process.kill(pid, "SIGSTOP");
  const done = work();
  await sleep(STOPPED_MS);
  process.kill(pid, "SIGCONT");
  return done;
}

/** Fetches that keep connections, as programs do by themselves, and how many connections they lost. */
function keptConnections() {
  const own = Reflect.get(globalThis, DISPATCHER) as { readonly constructor: new () => object };
  const dispatcher = new own.constructor();
  const kept = { lost: 0 };
  const keeping = async (address: string, init: RequestInit): Promise<Response> => {
    try {
      return await fetch(address, { ...init, dispatcher } as RequestInit);
    } catch (error) {
      kept.lost += 1;
      throw error;
    }
  };
  return { kept, keeping };
}

const every = <T>(work: () => Promise<T>) => Promise.all(Array.from({ length: CALLS }, work));

test("the tests' own calls are all answered", async () => {
  const ask = () => http("GET", `${orgPath}/budgets`, { key });
  await every(ask);
  const answers = await whileStopped(() => every(ask));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: CALLS }, () => 200));
});

test("a client loses connections that it has kept, and each call still takes effect once", async () => {
  const { kept, keeping } = keptConnections();
  const sluice = new Sluice({ key, url, fetch: keeping, timeoutMs: PATIENCE_MS });
  const budget = await sluice.budgets.create({ scope_kind: "org", limit_usd: "9", period: "month" });
  const decide = async () => sluice.decisions.decide({ estimate: { cost_usd: "0.01" } });
  await every(decide);
  const allowed = await whileStopped(() => every(decide));
  expect(kept.lost).toBeGreaterThan(0);
  expect(new Set(allowed.map(({ reservation }) => reservation?.id)).size).toBe(CALLS);
  await expect.poll(async () => (await sluice.budgets.get(budget.id)).reserved_usd).toBe("0.40");
});

test("a gate's exchange and the runs that it settles are repeated where a connection is lost", async () => {
  const { kept, keeping } = keptConnections();
  const gate = createGate({ key, url, fetch: keeping, timeoutMs: PATIENCE_MS, flushMs: 10 });
  const spend = async (n: number) => {
    const allowed = await gate.decide({ request_id: `gate-${n}`, estimate: { cost_usd: "0.01" } });
    gate.settle(allowed, {
      id: `run-${n}`,
      model: "m",
      usage: { input_tokens: 1, output_tokens: 1 },
      cost_usd: "0.01",
    });
  };
  let n = 0;
  await every(() => spend((n += 1)));
  await gate.flush();
  await whileStopped(() => every(() => spend((n += 1))));
  expect(kept.lost).toBeGreaterThan(0);
  await gate.close();
  expect(gate.stats).toMatchObject({ runsSent: 2 * CALLS, runsQueued: 0, runsRejected: 0, ungoverned: 0 });
  const { body } = await http("GET", `${url}/v1/runs?limit=200`, { key });
  expect(body.data).toHaveLength(2 * CALLS);
});
