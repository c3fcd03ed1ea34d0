import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { Caller } from "../../scripts/chaos/caller.ts";

/** What callers do to a server that is killed again and again, and what they were acknowledged. */

/** Decisions that an isolate is asked for one after another, so that it has slices for most of them. */
const AT_ONCE = 6;
/** Small blocks, of which some make a full one. */
const IN_BULK = 104;
const BULKS_A_DAY = 5;
const OVER_A_DAY_SECONDS = 90_000;
const PAUSE_MS = 250;

export const aRun = (id: string, fields: object = {}) => ({
  id,
  started_at: "2026-11-15T02:00:00Z",
  model: "m",
  usage: { input_tokens: 1, output_tokens: 1 },
  cost_usd: "0.000000001",
  customer_id: `c${id.length % 3}`,
  ...fields,
});

/** What a caller was told is so. */
export class Acknowledged {
  readonly runs = new Set<string>();
  released = 0;
  /** Decisions that an isolate made by itself. */
  inIsolates = 0;
  isOver = false;
}

/** Decisions of an isolate. The first is left to expire, and a bulk of runs settles the others. */
async function decideInIsolate(org: Caller, acknowledged: Acknowledged, name: string): Promise<void> {
  const runs: object[] = [];
  for (let at = 0; at < AT_ONCE; at += 1) {
    const id = `${name}-${at}`;
    const ask = { request_id: id, estimate: { cost_usd: "0.000000002" } };
    const { status, body, decided } = await org.send("POST", "/v1/edge/decision", ask);
    expect(status).toBe(200);
    if (decided === "edge") acknowledged.inIsolates += 1;
    const { id: reservation_id } = body["reservation"] as { id: string };
    if (at > 0) runs.push(aRun(id, { reservation_id }));
  }
  const { body } = await org.send("POST", "/v1/runs/bulk", { runs });
  expect(body["rejected"]).toBe(0);
  for (let at = 1; at < AT_ONCE; at += 1) acknowledged.runs.add(`${name}-${at}`);
}

/** One turn of a caller: a run alone, some in bulk, or decisions that are settled, released or left. */
export async function turn(
  org: Caller,
  acknowledged: Acknowledged,
  name: string,
  random: () => number,
): Promise<void> {
  const kind = Math.floor(random() * 5);
  if (kind === 4) return decideInIsolate(org, acknowledged, name);
  if (kind === 0) {
    expect((await org.send("POST", "/v1/runs", aRun(name))).status).toBeLessThan(300);
    acknowledged.runs.add(name);
    return;
  }
  if (kind === 1) {
    const ids = Array.from({ length: 5 }, (_, index) => `${name}-${index}`);
    const { body } = await org.send("POST", "/v1/runs/bulk", { runs: ids.map((id) => aRun(id)) });
    expect(body["rejected"]).toBe(0);
    for (const id of ids) acknowledged.runs.add(id);
    return;
  }
  // A hold of an hour is the object's to make.
  const ask = { request_id: name, estimate: { cost_usd: "0.000000002" }, hold_seconds: 3600 };
  const { body } = await org.send("POST", "/v1/edge/decision", ask);
  const { id } = body["reservation"] as { id: string };
  if (kind === 2) {
    const answer = await org.send("POST", "/v1/runs", aRun(name, { reservation_id: id }));
    expect(answer.status).toBeLessThan(300);
    acknowledged.runs.add(name);
  } else {
    expect((await org.send("DELETE", `/v1/edge/decision/${id}`)).status).toBe(204);
    acknowledged.released += 1;
  }
}

/** A day of an org whose runs move to the archive: small blocks that are merged, and then a file. */
export async function dayOfArchive(
  { org, operator, id }: { org: Caller; operator: Caller; id: string },
  acknowledged: Acknowledged,
  name: string,
): Promise<void> {
  for (let bulk = 0; bulk < BULKS_A_DAY; bulk += 1) {
    const ids = Array.from({ length: IN_BULK }, (_, at) => `${name}-${bulk}-${at}`);
    const { body } = await org.send("POST", "/v1/runs/bulk", { runs: ids.map((one) => aRun(one)) });
    expect(body["rejected"]).toBe(0);
    for (const one of ids) acknowledged.runs.add(one);
    await sleep(PAUSE_MS);
  }
  const moved = { advance_seconds: OVER_A_DAY_SECONDS };
  expect((await operator.send("POST", `/v1/admin/orgs/${id}/test-clock`, moved)).status).toBe(200);
}
