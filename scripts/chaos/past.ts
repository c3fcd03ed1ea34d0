import { setTimeout as sleep } from "node:timers/promises";
import type { Body, Caller } from "./caller.ts";
import type { RoundFinding } from "./history.ts";
import type { Traffic } from "./traffic.ts";
import { inNanos, inUsd, type Org } from "./world.ts";

const DAY_SECONDS = 86_400;
/** The shortest that an org can have, and enough runs that their sums are kept beside them. */
const RETENTION = { runs_days: 3, audit_days: 365, deliveries_days: 7 };
const RUNS = 700;
const AGAIN = 100;
/** How long archive and retention may take before what is left counts. */
const PATIENCE_MS = 60_000;
const POLL_MS = 500;

/**
 * An org whose runs go to the archive and are deleted in the end, again and again. Runs of the archive that are sent once more are known,
 * sums stay, and a report tells only of what is still stored.
 */
export async function growOld(
  org: Org,
  operator: Caller,
  traffic: Traffic,
  found: RoundFinding[],
): Promise<void> {
  const below = `/v1/orgs/${org.id}`;
  await org.caller.send("PUT", `${below}/retention-policy`, RETENTION);
  const pass = async (days: number): Promise<number> => {
    const advance = { advance_seconds: days * DAY_SECONDS };
    const { body } = await operator.send("POST", `/v1/admin/orgs/${org.id}/test-clock`, advance);
    traffic.answers += 1;
    return Date.parse(String(body["now"]));
  };
  for (let round = 0; !traffic.isOver; round += 1) {
    const at = await pass(1);
    const names = Array.from({ length: RUNS }, (_, index) => `old-${round}-${index}`);
    await record(org, names, at);
    await pass(2);
    const fresh = Array.from({ length: AGAIN }, (_, index) => `new-${round}-${index}`);
    // Known ones between new ones: what was begun when one has to be fetched is undone.
    const mixed = fresh.flatMap((name, index) => [name, names[index * 7] ?? ""]);
    await record(org, mixed, at);
    const { body: budget } = await org.caller.send("GET", `${below}/budgets/${org.budgetId}`);
    const [spent, cost] = [inNanos(budget["spent_usd"]), (round + 1) * (RUNS + AGAIN)];
    if (spent !== cost) {
      const what = `${org.name}: ${spent} nano-dollars are spent, and the runs cost ${cost}`;
      found.push({ kind: "wrong sum", what });
      return;
    }
    await pass(RETENTION.runs_days + 2);
    const left = await leftOver(org, at, traffic);
    if (left !== null) found.push({ kind: "wrong sum", what: `${org.name}: ${left}` });
  }
}

/** Each is recorded once, however often it is sent. */
async function record(org: Org, names: readonly string[], at: number): Promise<void> {
  const started_at = new Date(at).toISOString();
  const usage = { input_tokens: 1, output_tokens: 1 };
  const runs = names.map((id) => ({
    id,
    started_at,
    model: "m",
    usage,
    cost_usd: inUsd(1),
    user_id: `u${id.length}`,
  }));
  await org.caller.send("POST", "/v1/runs/bulk", { runs });
}

/** What a report still says of a day whose runs are all deleted. Null: nothing, as it should be. */
async function leftOver(org: Org, at: number, traffic: Traffic): Promise<string | null> {
  const range = `from=${new Date(at - 1000).toISOString()}&to=${new Date(at + 1000).toISOString()}`;
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const { body } = await org.caller.send(
      "GET",
      `/v1/orgs/${org.id}/usage/report?group_by=user_id&${range}`,
    );
    const { data } = (await org.caller.send("GET", `/v1/runs?${range}&limit=1`)).body as { data: Body[] };
    const { runs } = body["totals"] as { runs: number };
    if (runs === 0 && data.length === 0) return null;
    if (body["includes_deleted"] === true) return null;
    if (performance.now() > until || (traffic.isOver && data.length > 0)) {
      return data.length > 0 ? null : `a report counts ${runs} runs that are deleted`;
    }
    await sleep(POLL_MS);
  }
}
