import { expect, onTestFinished, test } from "vitest";
import { Caller } from "../../scripts/chaos/caller.ts";
import { randomFrom } from "../../scripts/chaos/random.ts";
import { startServer } from "../../scripts/server.ts";
import { temporaryFolder } from "../support/folder.ts";

/** Short in the suite; set SLUICE_CRASHES for a long one. */
const CRASHES = Number(process.env["SLUICE_CRASHES"] ?? 4);
/** Callers at work beside each other, until the last crash is over. */
const CALLERS = 6;
/** Decisions that an isolate is asked for one after another, so that it has slices for most of them. */
const AT_ONCE = 6;
/** Longer than a reservation of an isolate, and than the slices of one that was killed. */
const ALL_OVER_SECONDS = 3600;

const aRun = (id: string, fields: object = {}) => ({
  id,
  started_at: "2026-11-15T02:00:00Z",
  model: "m",
  usage: { input_tokens: 1, output_tokens: 1 },
  cost_usd: "0.000000001",
  customer_id: `c${id.length % 3}`,
  ...fields,
});

/** What a caller was told is so. */
class Told {
  readonly runs = new Set<string>();
  released = 0;
  /** Decisions that an isolate made by itself. */
  inIsolates = 0;
  isOver = false;
}

/** Decisions of an isolate. The first is left to expire, and a bulk of runs settles the others. */
async function decideInIsolate(org: Caller, told: Told, name: string): Promise<void> {
  const runs: object[] = [];
  for (let at = 0; at < AT_ONCE; at += 1) {
    const id = `${name}-${at}`;
    const ask = { request_id: id, estimate: { cost_usd: "0.000000002" } };
    const { status, body, decided } = await org.send("POST", "/v1/edge/decision", ask);
    expect(status).toBe(200);
    if (decided === "edge") told.inIsolates += 1;
    const { id: reservation_id } = body["reservation"] as { id: string };
    if (at > 0) runs.push(aRun(id, { reservation_id }));
  }
  const { body } = await org.send("POST", "/v1/runs/bulk", { runs });
  expect(body["rejected"]).toBe(0);
  for (let at = 1; at < AT_ONCE; at += 1) told.runs.add(`${name}-${at}`);
}

/** One turn of a caller: a run alone, some in bulk, or decisions that are settled, released or left. */
async function turn(org: Caller, told: Told, name: string, random: () => number): Promise<void> {
  const kind = Math.floor(random() * 5);
  if (kind === 4) return decideInIsolate(org, told, name);
  if (kind === 0) {
    expect((await org.send("POST", "/v1/runs", aRun(name))).status).toBeLessThan(300);
    told.runs.add(name);
    return;
  }
  if (kind === 1) {
    const ids = Array.from({ length: 5 }, (_, index) => `${name}-${index}`);
    const { body } = await org.send("POST", "/v1/runs/bulk", { runs: ids.map((id) => aRun(id)) });
    expect(body["rejected"]).toBe(0);
    for (const id of ids) told.runs.add(id);
    return;
  }
  // A hold of an hour is the object's to make.
  const ask = { request_id: name, estimate: { cost_usd: "0.000000002" }, hold_seconds: 3600 };
  const { body } = await org.send("POST", "/v1/edge/decision", ask);
  const { id } = body["reservation"] as { id: string };
  if (kind === 2) {
    const answer = await org.send("POST", "/v1/runs", aRun(name, { reservation_id: id }));
    expect(answer.status).toBeLessThan(300);
    told.runs.add(name);
  } else {
    expect((await org.send("DELETE", `/v1/edge/decision/${id}`)).status).toBe(204);
    told.released += 1;
  }
}

test("what was acknowledged is there once, with its sums, events and audit entries, however often the runtime is killed", async () => {
  const server = await startServer({ port: 0, dataDir: temporaryFolder() });
  onTestFinished(() => server.dispose());
  const operator = new Caller(server.urls, server.settings["SVC_OPERATOR_KEY"] ?? "");
  const made = await operator.ask("POST", "/v1/admin/orgs", {
    name: "Acme",
    environment: "test",
  });
  const { org: opened, owner_key: key } = made.body as { org: { id: string }; owner_key: string };
  const org = new Caller(server.urls, key);
  const below = `/v1/orgs/${opened.id}`;
  const budget = await org.ask("POST", `${below}/budgets`, {
    scope_kind: "org",
    limit_usd: "1",
    period: "year",
  });
  const told = new Told();
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    const random = randomFrom(caller + 1);
    for (let at = 0; !told.isOver; at += 1) await turn(org, told, `r${caller}-${at}`, random);
  });
  const random = randomFrom(99);
  for (let crashes = 0; crashes < CRASHES; crashes += 1) {
    const before = told.runs.size;
    await expect.poll(() => told.runs.size, { timeout: 60_000 }).toBeGreaterThan(before + 10);
    await new Promise((resolve) => setTimeout(resolve, random() * 400));
    await server.crash();
  }
  told.isOver = true;
  await Promise.all(callers);
  expect(told.inIsolates).toBeGreaterThan(0);
  const moved = { advance_seconds: ALL_OVER_SECONDS };
  expect((await operator.send("POST", `/v1/admin/orgs/${opened.id}/test-clock`, moved)).status).toBe(200);
  const nanos = (count: number) => `0.${String(count).padStart(9, "0")}`.replace(/0+$/, "");
  const sums = await org.send("GET", `${below}/budgets/${String(budget.body["id"])}`);
  expect(sums.body).toMatchObject({ spent_usd: nanos(told.runs.size), reserved_usd: "0.00" });
  const runs = await org.all("/v1/runs?");
  expect(runs.map((run) => String(run["id"])).toSorted()).toEqual([...told.runs].toSorted());
  const days = await org.send("GET", `${below}/usage?from=2026-11-15T00:00:00Z&to=2026-11-16T00:00:00Z`);
  expect(JSON.stringify(days.body)).toContain(`"runs":${told.runs.size}`);
  const events = await org.all(`${below}/events?type=run.recorded&`);
  const announced = events.flatMap((event) => (event["data"] as { run_ids: string[] }).run_ids);
  expect(announced.toSorted()).toEqual([...told.runs].toSorted());
  const entries = await org.all(`${below}/audit-log?action=reservation.released&`);
  expect(new Set(entries.map((entry) => entry["target"])).size).toBe(told.released);
  const verified = await org.send("GET", `${below}/audit-log/verify`);
  expect(verified.body).toMatchObject({ valid: true, breaks: [] });
  const again = await org.send("POST", "/v1/runs", aRun([...told.runs][0] ?? ""));
  expect(again.status).toBeLessThan(300);
});
