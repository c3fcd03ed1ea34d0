import { setTimeout as sleep } from "node:timers/promises";
import type { Body, Caller } from "./caller.ts";
import { nowMs, type Stored, type StoredRun } from "./history.ts";
import type { Pace } from "./pace.ts";
import { inNanos, type Org, type World } from "./world.ts";

const HOURS_SECONDS = 8 * 3600;

/** Everything that an org says of itself, now and after every reservation has expired. */
export async function readBack({ caller, id, budgetId }: Org, { operator, pace }: World): Promise<Stored> {
  const below = `/v1/orgs/${id}`;
  const budget = async () => (await caller.send("GET", `${below}/budgets/${budgetId}`)).body;
  const { runs, sums: before } = await atOneMoment(caller, budget, pace);
  const readAt = nowMs();
  const moveClock = async () => {
    const advance = { advance_seconds: HOURS_SECONDS };
    const { status } = await operator.send("POST", `/v1/admin/orgs/${id}/test-clock`, advance);
    if (status !== 200) throw new Error(`the clock of ${id} was not moved: ${status}`);
  };
  await moveClock();
  const events = await caller.all(`${below}/events?type=run.recorded&`);
  const verified = await caller.send("GET", `${below}/audit-log/verify`);
  await givenBack(budget, moveClock, pace);
  const { runs: runsInTheEnd, sums: after } = await atOneMoment(caller, budget, pace);
  return {
    readAt,
    runs,
    announced: events.flatMap((event) => (event["data"] as { run_ids: string[] }).run_ids),
    spentNanos: inNanos(before["spent_usd"]),
    reservedNanos: inNanos(before["reserved_usd"]),
    spentInTheEndNanos: inNanos(after["spent_usd"]),
    reservedInTheEndNanos: inNanos(after["reserved_usd"]),
    runsInTheEnd,
    isAuditValid: verified.body["valid"] === true,
  };
}

const GIVEN_BACK_SECONDS = 30;
const SETTLED_SECONDS = 20;
const BETWEEN_MS = 250;
const WAITS_PER_MOVE = 20;

/**
 * Isolates that still run hold slices for a moment after their last decision. A slice that was in use when the clock moved,
 * and whose isolate is gone, counts for as long as a hold made after the move: until the clock moves once more. What is
 * stuck stays through all of that.
 */
async function givenBack(
  budget: () => Promise<Body>,
  moveClock: () => Promise<void>,
  pace: Pace,
): Promise<void> {
  const isOver = pace.after(GIVEN_BACK_SECONDS);
  for (let waits = 1; !isOver(); waits += 1) {
    if (inNanos((await budget())["reserved_usd"]) === 0) return;
    await sleep(BETWEEN_MS);
    if (waits % WAITS_PER_MOVE === 0) await moveClock();
  }
}

/** What a killed process has sent may still arrive: then the runs are read again, until their sums stay. */
async function atOneMoment(
  caller: Caller,
  budget: () => Promise<Body>,
  pace: Pace,
): Promise<{ readonly runs: StoredRun[]; readonly sums: Body }> {
  let sums = await budget();
  for (const isOver = pace.after(SETTLED_SECONDS); ;) {
    const runs = await runsOf(caller);
    const again = await budget();
    if (again["spent_usd"] === sums["spent_usd"] || isOver()) return { runs, sums: again };
    sums = again;
  }
}

async function runsOf(caller: Caller): Promise<StoredRun[]> {
  const runs = await caller.all("/v1/runs?");
  return runs.map((run) => ({
    id: String(run["id"]),
    nanos: inNanos(run["cost_usd"]),
    reservation: run["reservation_id"] as string | null,
    outcome: String(run["outcome"]),
  }));
}
