import { expect, test } from "vitest";
import type { HourSpend } from "../../src/domain/forecast/hours.ts";
import { archiveAll, bucket, filesOf } from "../support/archive.ts";
import { evict } from "../support/evict.ts";
import { aRun, newSpender, type Spender } from "../support/ledger.ts";
import { receiver, takeNetwork } from "../support/receivers.ts";
import { rowsOf } from "../support/rows.ts";
import { env } from "../support/worker.ts";

/** What the watch has stored, by kind and id, in dollars and runs. */
async function stored(orgId: string): Promise<Record<string, readonly [usd: number, runs: number]>> {
  const rows = await rowsOf<{ spent: string }>(orgId, "SELECT spent FROM unusual_hours");
  const sums: Record<string, readonly [number, number]> = {};
  for (const [, kind, id, usd, runs] of rows.flatMap(({ spent }) => JSON.parse(spent) as HourSpend[])) {
    const [before, counted] = sums[`${kind} ${id}`] ?? [0, 0];
    sums[`${kind} ${id}`] = [before + usd, counted + runs];
  }
  return sums;
}

async function watch(org: Spender): Promise<string> {
  takeNetwork();
  const made = await org.send("POST", "webhooks", { url: receiver(), events: ["spend.unusual"] });
  expect(made.status).toBe(201);
  await org.advance(1);
  return made.body.id as string;
}

const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

test("each run is counted once, whenever it comes, and an estimate until its run does", async () => {
  const org = await newSpender();
  await org.bulk([
    aRun({ started_at: ago(20), user_id: "ada", cost_usd: "2" }),
    aRun({ started_at: ago(90), user_id: "ada", cost_usd: "64" }),
  ]);
  await watch(org);
  expect(await stored(org.id)).toMatchObject({ "org ": [2, 1], "user ada": [2, 1], "model acme/m1": [2, 1] });
  const held = await org.decide("7", {
    on_expiry: "charge",
    hold_seconds: 30,
    user_id: "ada",
    model: "acme/m1",
  });
  expect(held.status).toBe(200);
  // The look of this hour may be due before the hold expires, and then it is the next one that counts it.
  await org.advance(60);
  await org.advance(3600);
  expect(await stored(org.id)).toMatchObject({ "org ": [9, 2], "user ada": [9, 2] });
  const own = { reservation_id: held.body.reservation.id, user_id: "ada", started_at: ago(0), cost_usd: "4" };
  expect((await org.run(own)).status).toBe(201);
  await org.run({ started_at: ago(3), user_id: "bob", cost_usd: "1" });
  await org.advance(3600);
  await org.advance(3600);
  expect(await stored(org.id)).toMatchObject({ "org ": [7, 3], "user ada": [6, 2], "user bob": [1, 1] });
});

test("nothing is kept once nobody wants to hear of it, and hours of 35 days at most", async () => {
  const org = await newSpender();
  await org.run({ started_at: ago(34), user_id: "ada", cost_usd: "2" });
  const id = await watch(org);
  expect(await stored(org.id)).toMatchObject({ "user ada": [2, 1] });
  await org.advance(2 * 86_400);
  expect(await stored(org.id)).toEqual({});
  await org.run({ started_at: ago(0), user_id: "ada", cost_usd: "2" });
  await org.advance(3600);
  expect(await stored(org.id)).toMatchObject({ "user ada": [2, 1] });
  await org.send("DELETE", `webhooks/${id}`);
  await org.advance(3600);
  expect(await stored(org.id)).toEqual({});
  expect(await rowsOf(org.id, "SELECT * FROM unusual_counted")).toEqual([]);
});

test("runs that are archived when somebody begins to listen are counted", async () => {
  const org = await newSpender();
  const runs = Array.from({ length: 1000 }, (_, at) =>
    aRun({ id: `old-${at}`, started_at: ago(5), user_id: `user-${at % 3}`, cost_usd: "1" }),
  );
  expect((await org.bulk(runs)).body.accepted).toBe(1000);
  await archiveAll(org, async () => (await filesOf(org.id)).length > 0);
  await watch(org);
  await expect.poll(async () => (await stored(org.id))["user user-0"]).toEqual([334, 334]);
});

test("a list without hours that cannot be read says that it is not complete", async () => {
  const org = await newSpender();
  const runs = Array.from({ length: 1000 }, (_, at) => aRun({ id: `old-${at}`, started_at: ago(5) }));
  expect((await org.bulk(runs)).body.accepted).toBe(1000);
  await archiveAll(org, async () => (await filesOf(org.id)).length > 0);
  expect((await org.send("GET", "usage/unusual")).body).toMatchObject({ complete: true });
  await bucket().delete(await filesOf(org.id));
  await evict(env.ORG.getByName(org.id));
  const listed = await org.send("GET", "usage/unusual");
  expect([listed.status, listed.body.complete]).toEqual([200, false]);
});

const HOUR_MS = 3_600_000;
const DAY_SECONDS = 86_400;

/** A run of a dollar each hour for 30 days, then twelve in this hour. */
function hourly(now: number): Record<string, unknown>[] {
  const at = (ms: number, n = 0) =>
    aRun({
      id: `hourly-${ms}-${n}`,
      started_at: new Date(ms).toISOString(),
      customer_id: "globex",
      user_id: "ada",
    });
  const before = Array.from({ length: 720 }, (_, hours) => at(now - (720 - hours) * HOUR_MS));
  return [...before, ...Array.from({ length: 12 }, (_, n) => at(now, n))];
}

/** Of somebody else, for next to nothing, with names so long that one step cannot read them all. */
function manySmall(now: number): Record<string, unknown>[] {
  const random = () => Array.from({ length: 3 }, () => crypto.randomUUID()).join("");
  return Array.from({ length: 12_000 }, (_, at) =>
    aRun({
      id: random(),
      started_at: new Date(now - (at % 720) * HOUR_MS).toISOString(),
      customer_id: random(),
      user_id: random(),
      workflow_id: random(),
      cost_usd: "0.0001",
    }),
  );
}

async function record(org: Spender, runs: readonly Record<string, unknown>[]): Promise<void> {
  for (let at = 0; at < runs.length; at += 1000) {
    const some = runs.slice(at, at + 1000);
    expect((await org.bulk(some)).body.accepted).toBe(some.length);
  }
}

const listed = async (org: Spender, query = "") =>
  (await org.send("GET", `usage/unusual${query}`)).body as { complete: boolean; data: object[] };
const isKept = async (org: Spender) =>
  (await rowsOf<{ n: number }>(org.id, "SELECT COUNT(*) AS n FROM unusual_hours"))[0]?.n !== 0;

test("many runs are counted in the background once somebody looks, and then no look reads them", async () => {
  const org = await newSpender();
  const now = Date.now();
  await record(org, [...manySmall(now), ...hourly(now)]);
  expect(await isKept(org)).toBe(false);
  // Days of a month ago need no hours.
  expect(await listed(org, `?from=${ago(29).slice(0, 10)}`)).toMatchObject({ complete: true });
  expect(await rowsOf(org.id, "SELECT * FROM due WHERE kind = 'unusual-spend'")).toEqual([]);
  // A look that read a run would fail now: neither one that finds too many, nor one at what is counted does.
  await rowsOf(org.id, "CREATE TABLE kept AS SELECT first_seq, data FROM run_blocks");
  const damage = "UPDATE run_blocks SET data = zeroblob(length(data))";
  await rowsOf(org.id, damage);
  expect(await listed(org)).toMatchObject({ complete: false, data: [] });
  await rowsOf(
    org.id,
    "UPDATE run_blocks SET data = (SELECT data FROM kept WHERE kept.first_seq = run_blocks.first_seq)",
  );
  // The count may have begun, failed on that, and be due again.
  await org.advance(60);
  const first = await listed(org);
  const hour = new Date(Math.floor(now / HOUR_MS) * HOUR_MS).toISOString();
  expect(first.complete).toBe(true);
  expect(first.data).toHaveLength(5);
  for (const one of first.data) expect(one).toMatchObject({ hour, spent_usd: "12.00" });
  await rowsOf(org.id, damage);
  expect(await listed(org)).toEqual(first);
  await evict(env.ORG.getByName(org.id));
  expect(await listed(org)).toEqual(first);
  expect(await org.events("spend.unusual")).toEqual([]);
});

test("hours are kept for a week after the last look", async () => {
  const org = await newSpender();
  await record(org, hourly(Date.now()));
  // As if there had been many runs when somebody looked, long ago.
  await rowsOf(org.id, "INSERT INTO unusual_counted (only, run, replacement, looked_at) VALUES (1, 1, 1, 0)");
  for (let look = 0; look < 2; look += 1) {
    expect(await listed(org)).toMatchObject({ complete: true });
    await org.advance(5 * DAY_SECONDS);
    expect(await isKept(org)).toBe(true);
  }
  await org.advance(3 * DAY_SECONDS);
  expect(await isKept(org)).toBe(false);
  expect(await rowsOf(org.id, "SELECT * FROM unusual_counted")).toEqual([]);
  expect(await rowsOf(org.id, "SELECT * FROM due WHERE kind = 'unusual-spend'")).toEqual([]);
});

test("the list is the same from hours that are kept and from runs, also of runs that come late", async () => {
  const org = await newSpender();
  const now = Date.now();
  await record(org, hourly(now));
  const fromRuns = await listed(org);
  expect(fromRuns).toMatchObject({ complete: true });
  expect(fromRuns.data).toHaveLength(5);
  // A look at few runs keeps nothing.
  expect(await rowsOf(org.id, "SELECT * FROM unusual_counted")).toEqual([]);
  await watch(org);
  expect(await isKept(org)).toBe(true);
  expect(await listed(org)).toEqual(fromRuns);
  const yesterday = new Date(now - 24 * HOUR_MS).toISOString();
  await record(
    org,
    Array.from({ length: 20 }, (_, at) =>
      aRun({ id: `late-${at}`, started_at: yesterday, customer_id: "globex", user_id: "ada" }),
    ),
  );
  const late = await listed(org);
  expect(late.data.length).toBeGreaterThan(fromRuns.data.length);
  await org.advance(3600);
  const counted = await listed(org);
  expect(counted.data).toEqual(late.data);
  await evict(env.ORG.getByName(org.id));
  expect(await listed(org)).toEqual(counted);
  await rowsOf(org.id, "DELETE FROM unusual_hours");
  await rowsOf(org.id, "DELETE FROM unusual_counted");
  expect(await listed(org)).toEqual(counted);
});

test("hours in memory are those of the storage, whatever it was replaced with", async () => {
  const org = await newSpender();
  await record(org, hourly(Date.now()));
  await watch(org);
  expect((await listed(org)).data).toHaveLength(5);
  // As after an import: the runs are counted by hour up to another place, and there were none.
  await rowsOf(org.id, "DELETE FROM unusual_hours");
  await rowsOf(org.id, "UPDATE unusual_counted SET run = run + 1");
  expect(
    (await listed(org)).data.filter((one: { hour?: string | null }) => typeof one.hour === "string"),
  ).toEqual([]);
});

test("hours that are kept outlive their runs, and others go with them", async () => {
  const found = async (isWatched: boolean) => {
    const org = await newSpender();
    const policy = { runs_days: 3, audit_days: 90, deliveries_days: 7, legal_hold: false };
    expect((await org.send("PUT", "retention-policy", policy)).status).toBe(200);
    await record(org, hourly(Date.now()));
    if (isWatched) await watch(org);
    expect((await listed(org)).data).toHaveLength(5);
    await org.advance(4 * DAY_SECONDS);
    expect(await rowsOf(org.id, "SELECT 1 FROM run_blocks WHERE state = 'runs'")).toEqual([]);
    const { data } = await listed(org);
    return new Set(data.map((one) => (one as { subject_kind: string }).subject_kind));
  };
  // The days without runs that followed are below what is usual. Those of keys and users are known by their hours alone.
  expect(await found(true)).toEqual(new Set(["org", "model", "customer", "key", "user"]));
  expect(await found(false)).toEqual(new Set(["org", "model", "customer"]));
});
