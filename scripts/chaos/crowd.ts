import { createGate } from "../../src/client/gate/index.ts";
import { Caller } from "./caller.ts";
import type { Findings } from "./findings.ts";
import { inTime } from "./in-time.ts";
import type { Traffic } from "./traffic.ts";
import { inUsd, type Org, type World } from "./world.ts";

const LIMIT_NANOS = 400_000;
const CALL_NANOS = LIMIT_NANOS / 400;
const WARMING_CALLS = 16;
const LAST_CALLS = 24;
const GATES = 2;
const ALONE_MS = 10_000;
const CLOSING_SECONDS = 30;
/** So long that the object decides. */
const LONG_SECONDS = 3600;

/** Asks for so much, and says whether it was allowed. A call without an answer was not, as far as anybody can use it. */
type Asks = (nanos: number, more?: object) => Promise<boolean>;

/**
 * Many calls of one limit from every isolate and from gates, again and again: all of them get slices, somebody takes what is left, and then
 * all use what they have. Together they never get more than the limit.
 */
export async function crowd(
  world: World,
  org: Org,
  traffic: Pick<Traffic, "answers" | "isOver">,
  findings: Findings,
): Promise<void> {
  const callers = world.eu.server.urls.map((url) => new Caller([url], org.key));
  const gates = Array.from({ length: GATES }, () => createGate({ url: world.links[2].url, key: org.key }));
  for (let round = 0; !traffic.isOver; round += 1) {
    const workflow_id = `crowd-${crypto.randomUUID()}`;
    let admitted = 0;
    const admit = (nanos: number): boolean => {
      admitted += nanos;
      traffic.answers += 1;
      return true;
    };
    const estimate = (nanos: number) => ({ workflow_id, estimate: { cost_usd: inUsd(nanos) } });
    const overHttp = callers.map((caller): Asks => async (nanos, more = {}) => {
      const answer = await caller.try("POST", "/v1/edge/decision", { ...estimate(nanos), ...more });
      return answer?.status === 200 && admit(nanos);
    });
    const inGates = gates.map((gate): Asks => async (nanos) => {
      const allowed = await gate.decide(estimate(nanos)).catch(() => null);
      return allowed !== null && admit(nanos);
    });
    const limit = { scope_kind: "workflow", scope_id: workflow_id, limit_usd: inUsd(LIMIT_NANOS) };
    await org.caller.send("POST", `/v1/orgs/${org.id}/budgets`, { ...limit, period: "total" });
    const everyone = [...overHttp, ...inGates];
    await Promise.all(everyone.map((asks) => several(asks, WARMING_CALLS)));
    const taker = overHttp[round % overHttp.length];
    if (taker !== undefined) await takeTheRest(taker, traffic);
    await Promise.all(everyone.map((asks) => several(asks, LAST_CALLS)));
    if (admitted > LIMIT_NANOS) {
      const what = `${admitted} nano-dollars were admitted together where ${LIMIT_NANOS} is the limit`;
      findings.add("overspent limit", what);
    }
  }
  const closed = Promise.all(gates.map((gate) => gate.close()));
  await inTime(CLOSING_SECONDS, () => "gates that are closed", closed);
}

/** Before there is other work and any fault: on a busy machine, slices are over before they are used otherwise. */
export async function crowdAlone(world: World, org: Org, findings: Findings): Promise<void> {
  const alone = { answers: 0, isOver: false };
  const timer = setTimeout(() => (alone.isOver = true), ALONE_MS);
  await crowd(world, org, alone, findings).finally(() => clearTimeout(timer));
}

/** At once: slices are good for two seconds, also on a busy machine. */
async function several(asks: Asks, calls: number): Promise<void> {
  await Promise.all(Array.from({ length: calls }, () => asks(CALL_NANOS)));
}

/** The object decides each of these: as much as fits, and then half as much. */
async function takeTheRest(asks: Asks, traffic: Pick<Traffic, "isOver">): Promise<void> {
  let nanos = LIMIT_NANOS / 2;
  while (nanos >= CALL_NANOS && !traffic.isOver) {
    if (!(await asks(nanos, { hold_seconds: LONG_SECONDS }))) nanos = Math.floor(nanos / 2);
  }
}
