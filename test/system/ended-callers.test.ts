import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { type Answer, Caller } from "../../scripts/chaos/caller.ts";
import { randomFrom } from "../../scripts/chaos/random.ts";
import { ownServer } from "../support/server.ts";
import { PATIENCE_MS } from "../support/patience.ts";

/** Callers that leave, and an object that is evicted, in the moment in which asks gather. */

const ROUNDS = 8;
const ASKS = 40;
/** The first of a round: those that would send for others. */
const LEAVING = 4;
const ROOM = ROUNDS * ASKS - 60;

const body = (at: number) => ({ request_id: `r${at}`, estimate: { cost_usd: "1" }, hold_seconds: 86_400 });

/** Sends a whole request, and closes its connection as soon as the server may have it. */
async function askAndLeave(url: string, key: string, ask: object, afterMs: number): Promise<void> {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname).on("error", () => undefined);
  const text = JSON.stringify(ask);
  const head = [
    "POST /v1/edge/decision HTTP/1.1",
    `host: ${host}`,
    `authorization: Bearer ${key}`,
    "content-type: application/json",
    `content-length: ${text.length}`,
  ];
  await new Promise<void>((resolve) => {
    socket.write(`${head.join("\r\n")}\r\n\r\n${text}`, () => resolve());
  });
  if (afterMs > 0) await sleep(afterMs);
  socket.destroy();
}

const decision = (ask: object) => ["POST", "/v1/edge/decision", ask] as const;

/** A runtime that is busy for seconds closes connections. */
const surely = (org: Caller, ask: object): Promise<Answer> =>
  org.ask(...decision(ask)).catch((error: unknown) => {
    if (error instanceof TypeError) return surely(org, ask);
    throw error;
  });

const idIn = (reply: Answer | null) =>
  reply?.status === 200 ? (reply.body["reservation"] as { id: string }).id : null;

test("those who send for others leave, or the object is evicted, and each other gets one decision that stands", async () => {
  const server = await ownServer();
  const [url] = server.urls;
  const operator = new Caller(server.urls, server.settings["SVC_OPERATOR_KEY"] ?? "", {
    patienceMs: PATIENCE_MS,
  });
  const made = await operator.ask("POST", "/v1/admin/orgs", { name: "Many at once" });
  const { org: opened, owner_key: key } = made.body as { org: { id: string }; owner_key: string };
  const org = new Caller([url], key, { patienceMs: PATIENCE_MS });
  const path = `/v1/orgs/${opened.id}/budgets`;
  const limit = { scope_kind: "org", limit_usd: String(ROOM), period: "total" };
  const { id } = (await org.ask("POST", path, limit)).body as { id: string };
  const random = randomFrom(11);
  const allowed = new Set<string>();
  let heard = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    // The isolate knows the key, and the object is awake.
    await org.send(...decision({ estimate: { cost_usd: "1" }, dry_run: true }));
    const asks = Array.from({ length: ASKS }, (_, at) => body(round * ASKS + at));
    const leaving = asks.slice(0, LEAVING).map((ask) => askAndLeave(url, key, ask, Math.floor(random() * 3)));
    const isEvicted = round % 2 === 1;
    const staying = asks
      .slice(LEAVING)
      .map((ask) => (isEvicted ? org.try(...decision(ask)) : surely(org, ask)));
    if (isEvicted) {
      await sleep(random() * 10);
      await server.evict(opened.id);
    }
    await Promise.all(leaving);
    const first = await Promise.all(staying);
    // Who leaves takes nobody along. Of an object that is evicted, it may be unknown whether it decided.
    for (const reply of first)
      expect(isEvicted ? [200, 402, 503, undefined] : [200, 402]).toContain(reply?.status);
    const again = await Promise.all(asks.map((ask) => org.send(...decision(ask))));
    for (const reply of again) {
      const name = idIn(reply);
      if (name !== null) allowed.add(name);
    }
    for (const [at, reply] of first.entries()) {
      const name = idIn(reply);
      if (name === null) continue;
      heard += 1;
      expect(idIn(again[at + LEAVING] ?? null)).toBe(name);
    }
  }
  expect(heard).toBeGreaterThan(0);
  expect(allowed.size).toBe(ROOM);
  const { body: sums } = await org.send("GET", `${path}/${id}`);
  expect(sums["reserved_usd"]).toBe(`${ROOM}.00`);
});
