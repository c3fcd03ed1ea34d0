import { readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { Caller } from "../../../scripts/chaos/caller.ts";
import { randomFrom } from "../../../scripts/chaos/random.ts";
import { type Server, startServer } from "../../../scripts/server.ts";
import { aRun, dayOfArchive, Acknowledged, turn } from "../../support/crash-load.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { PATIENCE_MS, PATIENT, TEST_MS } from "../../support/patience.ts";

/** Short in the suite. `SLUICE_CRASHES=200` makes a long one. */
const CRASHES = Number(process.env["SLUICE_CRASHES"] ?? 3);
/** A busy machine takes long to start the runtime again. */
vi.setConfig({ testTimeout: TEST_MS + CRASHES * 30_000 });
/** Callers at work beside each other, until the last crash is over. */
const CALLERS = 6;
/** Longer than a reservation of an isolate, and than the slices of one that was killed. */
const ALL_OVER_SECONDS = 3600;

interface Opened {
  readonly org: Caller;
  readonly operator: Caller;
  readonly id: string;
  readonly below: string;
  readonly budget: string;
}

async function open(server: Server, name: string): Promise<Opened> {
  const operator = new Caller(server.urls, server.settings["SVC_OPERATOR_KEY"] ?? "", {
    patienceMs: PATIENCE_MS,
  });
  const made = await operator.ask("POST", "/v1/admin/orgs", { name, environment: "test" });
  const { org: opened, owner_key: key } = made.body as { org: { id: string }; owner_key: string };
  const org = new Caller(server.urls, key, { patienceMs: PATIENCE_MS });
  const below = `/v1/orgs/${opened.id}`;
  const limit = { scope_kind: "org", limit_usd: "1", period: "total" };
  const budget = await org.ask("POST", `${below}/budgets`, limit);
  return { org, operator, id: opened.id, below, budget: `${below}/budgets/${String(budget.body["id"])}` };
}

const nanos = (count: number) => `0.${String(count).padStart(9, "0")}`.replace(/0+$/, "");

/** Every run once, in the list, the sums and what was announced. */
async function expectAll({ org, below, budget }: Opened, acknowledged: Acknowledged): Promise<void> {
  const sums = await org.send("GET", budget);
  expect(sums.body).toMatchObject({ spent_usd: nanos(acknowledged.runs.size), reserved_usd: "0.00" });
  const ids = [...acknowledged.runs].toSorted();
  const runs = await org.all("/v1/runs?");
  expect(runs.map((run) => String(run["id"])).toSorted()).toEqual(ids);
  const days = await org.send("GET", `${below}/usage?from=2026-11-15T00:00:00Z&to=2026-11-16T00:00:00Z`);
  expect(JSON.stringify(days.body)).toContain(`"runs":${acknowledged.runs.size}`);
  const events = await org.all(`${below}/events?type=run.recorded&`);
  const announced = events.flatMap((event) => (event["data"] as { run_ids: string[] }).run_ids);
  expect(announced.toSorted()).toEqual(ids);
  const verified = await org.send("GET", `${below}/audit-log/verify`);
  expect(verified.body).toMatchObject({ valid: true, breaks: [] });
}

/** Files of the archive on disk. */
function filesOf(server: Server): number {
  return readdirSync(server.folder.path, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.parentPath.endsWith("blobs"),
  ).length;
}

test("what was acknowledged is there once, with its sums, events and audit entries, however often the runtime is killed", async () => {
  const server = await startServer({ port: 0, dataDir: temporaryFolder() });
  onTestFinished(() => server.dispose());
  const [busy, old] = [await open(server, "Busy"), await open(server, "Old")];
  const kept = { runs_days: 1095, audit_days: 3650, deliveries_days: 90, legal_hold: true };
  expect((await old.org.ask("PUT", `${old.below}/retention-policy`, kept)).status).toBe(200);
  const [acknowledged, archived] = [new Acknowledged(), new Acknowledged()];
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    const random = randomFrom(caller + 1);
    for (let at = 0; !acknowledged.isOver; at += 1)
      await turn(busy.org, acknowledged, `r${caller}-${at}`, random);
  });
  const days = async () => {
    for (let day = 0; !acknowledged.isOver; day += 1) await dayOfArchive(old, archived, `d${day}`);
  };
  callers.push(days());
  const random = randomFrom(99);
  for (let crashes = 0; crashes < CRASHES; crashes += 1) {
    const before = acknowledged.runs.size;
    await expect.poll(() => acknowledged.runs.size).toBeGreaterThan(before + 10);
    await sleep(random() * 400);
    // On a busy machine an isolate may not live long enough to decide by itself. The last one does.
    if (crashes === CRASHES - 1) await vi.waitUntil(() => acknowledged.inIsolates > 0, PATIENT);
    await server.crash();
  }
  acknowledged.isOver = true;
  await Promise.all(callers);
  const moved = { advance_seconds: ALL_OVER_SECONDS };
  const over = await busy.operator.send("POST", `/v1/admin/orgs/${busy.id}/test-clock`, moved);
  expect(over.status).toBe(200);
  await expect.poll(() => filesOf(server)).toBeGreaterThan(0);
  await expectAll(busy, acknowledged);
  await expectAll(old, archived);
  const entries = await busy.org.all(`${busy.below}/audit-log?action=reservation.released&`);
  expect(new Set(entries.map((entry) => entry["target"])).size).toBe(acknowledged.released);
  for (const [{ org }, { runs }] of [
    [busy, acknowledged],
    [old, archived],
  ] as const) {
    const again = await org.send("POST", "/v1/runs/bulk", {
      runs: [...runs].slice(0, 200).map((id) => aRun(id)),
    });
    expect(again.body).toMatchObject({ accepted: 0 });
  }
  const summary = `${CRASHES} kills: ${acknowledged.runs.size} runs, ${acknowledged.released} released, ${acknowledged.inIsolates} decisions in isolates; ${archived.runs.size} runs archived in ${filesOf(server)} files`;
  if (process.env["SLUICE_CRASHES"] !== undefined) process.stderr.write(`${summary}\n`);
});
