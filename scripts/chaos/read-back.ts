import type { Caller } from "./caller.ts";
import { nowMs, type Stored, type StoredRun } from "./history.ts";
import { inNanos, type Org } from "./world.ts";

const HOURS_SECONDS = 8 * 3600;

/** Everything that an org says of itself, now and after every reservation has expired. */
export async function readBack({ caller, id, budgetId }: Org, operator: Caller): Promise<Stored> {
  const below = `/v1/orgs/${id}`;
  const budget = async () => (await caller.send("GET", `${below}/budgets/${budgetId}`)).body;
  const runs = await runsOf(caller);
  const before = await budget();
  const readAt = nowMs();
  const advanced = await operator.send("POST", `/v1/admin/orgs/${id}/test-clock`, {
    advance_seconds: HOURS_SECONDS,
  });
  if (advanced.status !== 200) throw new Error(`the clock of ${id} was not moved: ${advanced.status}`);
  const events = await caller.all(`${below}/events?type=run.recorded&`);
  const verified = await caller.send("GET", `${below}/audit-log/verify`);
  const after = await budget();
  return {
    readAt,
    runs,
    announced: events.flatMap((event) => (event["data"] as { run_ids: string[] }).run_ids),
    spentNanos: inNanos(before["spent_usd"]),
    reservedNanos: inNanos(before["reserved_usd"]),
    spentInTheEndNanos: inNanos(after["spent_usd"]),
    reservedInTheEndNanos: inNanos(after["reserved_usd"]),
    runsInTheEnd: await runsOf(caller),
    isAuditValid: verified.body["valid"] === true,
  };
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
