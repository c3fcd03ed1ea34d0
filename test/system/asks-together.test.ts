import { expect, test } from "vitest";
import { newOrg, sharedServer } from "../support/server.ts";

/** Decisions of many connections that share calls to their org's object, over the requests that began them. */

const ASKS = 64;
const ROOM = 20;

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
