import { expect, onTestFinished, test, vi } from "vitest";
import { type Answer, Caller } from "../../scripts/chaos/caller.ts";
import { randomFrom } from "../../scripts/chaos/random.ts";
import { startServer } from "../../scripts/server.ts";
import { temporaryFolder } from "../support/folder.ts";
import { newOrg, sharedServer } from "../support/server.ts";
import { PATIENCE_MS, TEST_MS } from "../support/patience.ts";

/** Decisions of many connections that share calls to their org's object, over the requests that began them. */

const ASKS = 64;
const ROOM = 20;
/** Short in the suite. `SLUICE_CRASHES=50` makes a long one. */
const CRASHES = Number(process.env["SLUICE_CRASHES"] ?? 2);
vi.setConfig({ testTimeout: TEST_MS + CRASHES * 30_000 });

test("callers that leave take no other's decision with them, and exactly what fits is admitted", async () => {
  const org = await newOrg();
  const url = `${sharedServer().urls[0]}/v1/edge/decision`;
  const headers = { authorization: `Bearer ${org.ownerKey}`, "content-type": "application/json" };
  const path = `${sharedServer().urls[0]}/v1/orgs/${org.id}/budgets`;
  const limit = { scope_kind: "org", limit_usd: String(ROOM), period: "total", mode: "enforce" };
  const made = await fetch(path, { method: "POST", headers, body: JSON.stringify(limit) });
  expect(made.status).toBe(201);

  const ask = async (at: number, leaves = false): Promise<unknown> => {
    const left = new AbortController();
    const body = JSON.stringify({ request_id: `r${at}`, estimate: { cost_usd: "1" }, hold_seconds: 3600 });
    const sent = fetch(url, { method: "POST", headers, body, signal: left.signal });
    if (leaves) setTimeout(() => left.abort(), at % 8);
    try {
      const answer = await sent;
      expect([200, 402]).toContain(answer.status);
      return answer.status === 200 ? await answer.json() : {};
    } catch (error) {
      // A runtime that is busy for seconds closes connections.
      if (!leaves && error instanceof TypeError) return ask(at);
      if (!left.signal.aborted) throw error;
      return null;
    }
  };
  const everyone = Array.from({ length: ASKS }, (_, at) => at);
  const first = await Promise.all(everyone.map((at) => ask(at, at % 3 === 0)));
  const again = await Promise.all(everyone.map((at) => ask(at)));
  const idOf = (answer: unknown) => (answer as { reservation?: { id: string } } | null)?.reservation?.id;
  const allowed = again.filter((answer) => idOf(answer) !== undefined);
  expect(allowed).toHaveLength(ROOM);
  for (const [at, answer] of first.entries()) {
    if (idOf(answer) !== undefined) expect(idOf(again[at])).toBe(idOf(answer));
  }
  const { data } = (await (await fetch(path, { headers })).json()) as { data: { reserved_usd: string }[] };
  expect(data[0]?.reserved_usd).toBe(`${ROOM}.00`);
});

const idIn = (answer: Answer | null) =>
  answer?.status === 200 ? (answer.body["reservation"] as { id: string }).id : null;

test("however often the runtime is killed, an allow that was given stands, and exactly what fits is admitted", async () => {
  const server = await startServer({ port: 0, dataDir: temporaryFolder() });
  onTestFinished(() => server.dispose());
  const operator = new Caller(server.urls, server.settings["SVC_OPERATOR_KEY"] ?? "", {
    patienceMs: PATIENCE_MS,
  });
  const made = await operator.ask("POST", "/v1/admin/orgs", { name: "Many at once" });
  const { org: opened, owner_key: key } = made.body as { org: { id: string }; owner_key: string };
  const org = new Caller(server.urls, key, { patienceMs: PATIENCE_MS });
  const path = `/v1/orgs/${opened.id}/budgets`;
  const room = ASKS * CRASHES - ROOM;
  const limit = { scope_kind: "org", limit_usd: String(room), period: "total" };
  const { id } = (await org.ask("POST", path, limit)).body as { id: string };
  const random = randomFrom(7);
  const body = (at: number) => ({
    request_id: `r${at}`,
    estimate: { cost_usd: "1" },
    hold_seconds: 86_400,
  });
  let given = 0;
  const allowed = new Set<string>();
  for (let crash = 0; crash < CRASHES; crash += 1) {
    // The isolates know the key.
    await Promise.all(server.urls.map(() => org.send("GET", path)));
    const asks = Array.from({ length: ASKS }, (_, at) => body(crash * ASKS + at));
    const first = asks.map((ask) => org.try("POST", "/v1/edge/decision", ask));
    await Promise.any(first.slice(Math.floor(random() * ASKS)));
    await server.crash();
    const before = (await Promise.all(first)).map(idIn);
    const again = await Promise.all(asks.map((ask) => org.send("POST", "/v1/edge/decision", ask)));
    for (const [at, answer] of again.entries()) {
      const named = idIn(answer);
      if (named !== null) allowed.add(named);
      if (before[at] === null || before[at] === undefined) continue;
      given += 1;
      expect(named).toBe(before[at]);
    }
  }
  expect(given).toBeGreaterThan(0);
  expect(allowed.size).toBe(room);
  const { body: sums } = await org.send("GET", `${path}/${id}`);
  expect(sums["reserved_usd"]).toBe(`${room}.00`);
});
