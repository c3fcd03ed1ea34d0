import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { TRACE_HEADER } from "../../src/contract/headers.ts";
import { Breakdowns } from "../../src/org/runs/breakdown.ts";
import { findRun } from "../../src/org/runs/store.ts";
import { termsOf } from "../../src/domain/price/terms.ts";
import { newId } from "../../src/domain/ulid.ts";
import { foldFirst } from "../../src/org/kernel/journal/transaction.ts";
import { newSpender } from "../support/ledger.ts";
import { HOLDS_IN_ROWS } from "../support/holds.ts";
import { LOGS_IN_ROWS } from "../support/logs.ts";
import { rowsOf } from "../support/rows.ts";
import { unpackRuns } from "../support/stored-runs.ts";
import { call, env, newOrg } from "../support/worker.ts";

/** Objects with the tables of an earlier version upgrade them when they wake. */

const EARLIER_HOLDS = `
  DROP INDEX holds_name;
  DROP INDEX holds_open;
  ALTER TABLE holds RENAME TO later_holds;
  CREATE TABLE holds (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, request_id TEXT, digest TEXT NOT NULL,
    status TEXT NOT NULL, at INTEGER NOT NULL, expires_at INTEGER NOT NULL, ended_at INTEGER, amount TEXT NOT NULL,
    meters TEXT NOT NULL, customer_id TEXT, verdict TEXT NOT NULL) STRICT;
  INSERT INTO holds SELECT seq, id, NULL, digest, status, at, expires_at, ended_at, amount, meters, customer_id, verdict
    FROM later_holds;
  DROP TABLE later_holds;
  CREATE INDEX holds_open ON holds (expires_at) WHERE status = 'open';
  CREATE INDEX holds_ended ON holds (ended_at) WHERE ended_at IS NOT NULL;
  DROP TABLE unchecked_ids;
  DELETE FROM schema_steps WHERE name IN ('holds/4', 'holds/5', 'holds/6', 'holds/7', 'holds/9', 'holds/10', 'holds/12')`;

const EARLIER_RUNS = `
  DROP TABLE run_id_segments;
  DROP TABLE run_id_blocks;
  CREATE UNIQUE INDEX runs_id ON runs (id);
  DROP INDEX runs_started;
  CREATE INDEX runs_started ON runs (started_at);
  DELETE FROM schema_steps WHERE name IN ('runs/2', 'runs/3')`;

/** Every part of a run in its own column, but with the later steps already applied. */
const RUNS_IN_COLUMNS = `
  CREATE TABLE unpacked (seq INTEGER PRIMARY KEY, id TEXT NOT NULL, started_at INTEGER NOT NULL, ended_at INTEGER,
    charged_at INTEGER NOT NULL, recorded_at INTEGER NOT NULL, model TEXT NOT NULL, action TEXT, workflow_id TEXT,
    deployment_id TEXT, department_id TEXT, customer_id TEXT, chain_id TEXT, parent_run_id TEXT, depth INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, cost INTEGER NOT NULL, charges TEXT NOT NULL,
    extra TEXT) STRICT;
  INSERT INTO unpacked SELECT seq, id, started_at, data ->> 9, charged_at, recorded_at, model, action, workflow_id,
    deployment_id, department_id, customer_id, chain_id, data ->> 10, data ->> 11, input_tokens, output_tokens, cost,
    charges, data ->> 12 FROM run_rows;
  DROP VIEW run_rows;
  DROP TABLE runs;
  ALTER TABLE unpacked RENAME TO runs;
  CREATE INDEX runs_started ON runs (started_at / 1000);
  CREATE INDEX runs_chain ON runs (chain_id, started_at) WHERE chain_id IS NOT NULL;
  DELETE FROM schema_steps WHERE name = 'runs/1/repack'`;

test("runs in columns are packed completely, even in an object that has later steps", async () => {
  const org = await newOrg();
  const key = org.ownerKey;
  const run = (id: string, more: object) => ({
    id,
    started_at: new Date().toISOString(),
    model: "m",
    usage: { input_tokens: 7, output_tokens: 8 },
    cost_usd: "0.000000001",
    ...more,
  });
  const runs = [
    run("plain", {}),
    run("costly", { cost_usd: "999999999.999999999", action: "a", department_id: "d" }),
    run("first", { chain: { chain_id: "c" }, metadata: { deep: { list: [1, null, "\u00fc"] } } }),
    run("second", { chain: { chain_id: "c", parent_run_id: "first" }, ended_at: new Date().toISOString() }),
  ];
  expect((await call("POST", "/v1/runs/bulk", { key, body: { runs } })).body.accepted).toBe(4);
  const listed = async () => (await call("GET", "/v1/runs?limit=100", { key })).body.data;
  const [before, indexes] = [await listed(), "SELECT name, sql FROM sqlite_master WHERE tbl_name = 'runs'"];
  const shape = await rowsOf(org.id, `${indexes} AND type = 'index' ORDER BY name`);
  await unpackRuns(org.id);
  await rowsOf(org.id, RUNS_IN_COLUMNS);
  await evictDurableObject(env.ORG.getByName(org.id));
  // Which key had sent a run was not stored then.
  expect(await listed()).toEqual(before.map((one: object) => ({ ...one, key_id: null })));
  expect(await rowsOf(org.id, `${indexes} AND type = 'index' ORDER BY name`)).toEqual(shape);
  expect((await call("POST", "/v1/runs/bulk", { key, body: { runs } })).body.duplicates).toBe(4);
  const more = await call("POST", "/v1/runs", { key, body: run("later", { chain: { chain_id: "c" } }) });
  expect(more).toMatchObject({ status: 201, body: { id: "later" } });
});

test("holds stay as they were, by name and by reservation", async () => {
  const org = await newOrg();
  const key = org.ownerKey;
  const budget = { scope_kind: "org", limit_usd: "100", period: "month", mode: "enforce" };
  const { id } = (await call("POST", `/v1/orgs/${org.id}/budgets`, { key, body: budget })).body;
  const reserved = async () =>
    (await call("GET", `/v1/orgs/${org.id}/budgets/${id}`, { key })).body.reserved_usd;
  const decide = async (name: string): Promise<string> => {
    const body = { request_id: name, estimate: { cost_usd: "1" }, hold_seconds: 3600 };
    return (await call("POST", "/v1/edge/decision", { key, body })).body.reservation.id;
  };
  const [stands, settled, released] = [await decide("a"), await decide("b"), await decide("c")];
  await call("DELETE", `/v1/edge/decision/${released}`, { key });
  expect(await reserved()).toBe("2.00");

  expect(await rowsOf(org.id, "SELECT * FROM unchecked_ids")).toEqual([]);
  await rowsOf(org.id, HOLDS_IN_ROWS);
  await rowsOf(org.id, EARLIER_HOLDS);
  await evictDurableObject(env.ORG.getByName(org.id));
  // Ids of that version have no check. They are accepted for an hour.
  const [{ until } = { until: 0 }] = await rowsOf<{ until: number }>(
    org.id,
    "SELECT until FROM unchecked_ids",
  );
  expect(Math.abs(until - Date.now() - 3_600_000)).toBeLessThan(60_000);
  expect(await decide("a")).toBe(stands);
  expect(await reserved()).toBe("2.00");
  expect((await call("DELETE", `/v1/edge/decision/${released}`, { key })).status).toBe(204);
  const run = {
    started_at: new Date().toISOString(),
    model: "m",
    usage: { input_tokens: 1, output_tokens: 1 },
    cost_usd: "0.50",
    reservation_id: settled,
  };
  expect((await call("POST", "/v1/runs", { key, body: run })).status).toBe(201);
  expect(await reserved()).toBe("1.00");
  // Each is stored once: what was there before stays in its row.
  const paged = await rowsOf(org.id, "SELECT value ->> 1 AS id FROM hold_pages, json_each(body)");
  expect(paged).toEqual([]);
  expect(await decide("c")).toBe(released);
  expect(await reserved()).toBe("2.00");
});

test("runs are listed in the same order", async () => {
  const org = await newOrg();
  const key = org.ownerKey;
  const from = Date.now() - 60_000;
  const runs = Array.from({ length: 60 }, (_, index) => ({
    id: `run-${index}`,
    started_at: new Date(from + ((index * 37) % 60) * 50).toISOString(),
    model: "m",
    usage: { input_tokens: 1, output_tokens: 1 },
    cost_usd: "0.01",
  }));
  expect((await call("POST", "/v1/runs/bulk", { key, body: { runs } })).body.accepted).toBe(60);
  const listed = async (): Promise<string[]> => {
    const { data } = (await call("GET", "/v1/runs?limit=100", { key })).body;
    return (data as { id: string }[]).map(({ id }) => id);
  };
  const before = await listed();
  expect(before).toHaveLength(60);
  await unpackRuns(org.id);
  await rowsOf(org.id, EARLIER_RUNS);
  await evictDurableObject(env.ORG.getByName(org.id));
  expect(await listed()).toEqual(before);
  expect((await call("POST", "/v1/runs/bulk", { key, body: { runs } })).body.duplicates).toBe(60);
});

test("runs of a version with a database index of ids are all recognized when the object wakes", async () => {
  const org = await newSpender();
  const { key } = org;
  const runs = Array.from({ length: 9000 }, (_, index) => ({
    id: `run-${index}`,
    started_at: new Date().toISOString(),
    model: "m",
    usage: { input_tokens: 1, output_tokens: 1 },
    cost_usd: "0.01",
  }));
  for (let from = 0; from < runs.length; from += 1000) await org.bulk(runs.slice(from, from + 1000));
  await unpackRuns(org.id);
  await rowsOf(org.id, EARLIER_RUNS);
  await evictDurableObject(env.ORG.getByName(org.id));
  // Even by a call that needs no run.
  expect((await call("GET", "/v1/runs?limit=1", { key })).status).toBe(200);
  const made = await rowsOf(org.id, "SELECT first_seq, last_seq FROM run_id_segments WHERE state = 'made'");
  expect(made).toEqual([
    { first_seq: 1, last_seq: 4096 },
    { first_seq: 4097, last_seq: 8192 },
  ]);
  for (let from = 0; from < runs.length; from += 3000) {
    const again = await org.bulk(runs.slice(from, from + 1000));
    expect(again.body).toMatchObject({ accepted: 0, duplicates: 1000 });
  }
});

test("prices from before revisions become the first revision, and old runs keep their costs", async () => {
  const org = await newSpender();
  await org.send("PUT", "models/m", { input_usd_per_mtok: "3", output_usd_per_mtok: "15", regions: ["eu"] });
  const usage = { input_tokens: 1_000_000, output_tokens: 0 };
  const run = { id: "old", model: "m", cost_usd: undefined, usage };
  await org.run(run);
  await rowsOf(
    org.id,
    `DROP VIEW priced_models; DROP TABLE price_revisions; DROP TABLE platform_book;
     DELETE FROM schema_steps WHERE name IN ('models/2', 'models/3', 'models/4')`,
  );
  await evictDurableObject(env.ORG.getByName(org.id));
  const model = (await org.send("GET", "models/m")).body;
  expect(model).toMatchObject({ input_usd_per_mtok: "3.00", revision: 1, source: "org", regions: ["eu"] });
  const shown = await runInDurableObject(env.ORG.getByName(org.id), (_object, { storage }) => {
    const stored = findRun(storage.sql, "old");
    if (stored === undefined) throw new Error("no run");
    return new Breakdowns(storage.sql).of({ ...stored, extra: { priced: true } });
  });
  expect(shown).toEqual({ cost_source: "price_book", price_revision: null, cost_breakdown: null });
  expect((await org.run(run)).status).toBe(200);
  expect((await org.run({ ...run, id: "new" })).body).toMatchObject({ cost_usd: "3.00", price_revision: 1 });
  await org.send("PUT", "models/m", { input_usd_per_mtok: "3", output_usd_per_mtok: "15", regions: ["eu"] });
  expect((await org.send("GET", "models/m/prices")).body.data).toHaveLength(1);
});

test("the platform's prices of before know the other name of their model", async () => {
  const org = await newSpender();
  const terms = JSON.stringify(
    termsOf({ provider: "maker", input_usd_per_mtok: "1", output_usd_per_mtok: "2" }),
  );
  const old = `INSERT INTO price_revisions (model, source, platform_revision, effective_at, created_at, terms)
     VALUES ('maker/up-m', 'platform', 1, 1, 1, '${terms}')`;
  await rowsOf(org.id, `${old}; DELETE FROM schema_steps WHERE name = 'models/3'`);
  await evictDurableObject(env.ORG.getByName(org.id));
  await org.send("PUT", "models/up-m", { input_usd_per_mtok: "7", output_usd_per_mtok: "7" });
  expect((await org.send("GET", "models/maker%2Fup-m")).body).toMatchObject({ model: "up-m", source: "org" });
});

const EARLIER_LOGS = `${LOGS_IN_ROWS};
  ALTER TABLE events RENAME TO later_events;
  CREATE TABLE events (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, type TEXT NOT NULL, created_at INTEGER NOT NULL,
    data TEXT NOT NULL, parent TEXT) STRICT;
  INSERT INTO events SELECT * FROM later_events;
  DROP TABLE later_events;
  ALTER TABLE audit RENAME TO later_audit;
  CREATE TABLE audit (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at INTEGER NOT NULL, action TEXT NOT NULL,
    actor_kind TEXT NOT NULL, actor_id TEXT NOT NULL, on_behalf_of TEXT, target TEXT, outcome TEXT NOT NULL,
    trace TEXT NOT NULL, address TEXT, detail TEXT NOT NULL, hash TEXT NOT NULL) STRICT;
  INSERT INTO audit SELECT * FROM later_audit;
  DROP TABLE later_audit;
  CREATE INDEX audit_at ON audit (at);
  DROP TABLE journal;
  DELETE FROM schema_steps WHERE name IN ('events/3', 'audit/3', 'journal/1')`;

async function indexesOf(orgId: string): Promise<string[]> {
  const rows = await rowsOf<{ tbl_name: string }>(
    orgId,
    "SELECT tbl_name FROM sqlite_master WHERE type = 'index' AND tbl_name IN ('events', 'audit') ORDER BY tbl_name",
  );
  return rows.map((row) => row.tbl_name);
}

test("logs lose the indexes of their ids, and stay as they were", async () => {
  const org = await newSpender();
  expect((await org.run({ id: "before" })).status).toBe(201);
  const events = await org.send("GET", "events");
  await rowsOf(org.id, EARLIER_LOGS);
  await evictDurableObject(env.ORG.getByName(org.id));
  expect(await indexesOf(org.id)).toEqual([]);
  expect((await org.send("GET", "events")).body).toEqual(events.body);
  expect((await org.run({ id: "after" })).status).toBe(201);
  expect((await org.send("GET", "audit-log/verify")).body).toMatchObject({ valid: true });
  const types = (await org.events()).map(({ type }) => type);
  expect(types.filter((type) => type === "run.recorded")).toHaveLength(2);
});

test("a log too long to copy while an object wakes keeps the index of its ids", async () => {
  const org = await newSpender();
  expect((await org.run()).status).toBe(201);
  await rowsOf(org.id, EARLIER_LOGS);
  await rowsOf(org.id, "INSERT INTO events VALUES (200000, 'evt_far', 'run.recorded', 1, '{}', NULL)");
  await evictDurableObject(env.ORG.getByName(org.id));
  expect(await indexesOf(org.id)).toEqual(["events"]);
});

/** Puts an object back to the version before, with an event that waits in the journal, in the form of that version. */
function putBack(orgId: string, eventId: string): Promise<void> {
  return runInDurableObject(env.ORG.getByName(orgId), (_object, { storage }) => {
    foldFirst(storage);
    const { sql } = storage;
    const shapes = sql.exec<{ body: string }>("SELECT body FROM journal WHERE slot = -1").one();
    const before = (JSON.parse(shapes.body) as { name: string; columns: string[] }[]).map((shape) => {
      const { name, columns } = shape;
      const earlier = { ...shape, log: undefined, isNumbered: undefined };
      if (name === "audit") return earlier;
      return name === "events" ? { ...earlier, columns: columns.slice(1), key: ["id"] } : shape;
    });
    const { seq } = sql.exec<{ seq: number }>("SELECT seq + 1 AS seq FROM journal WHERE slot = 0").one();
    const event = [eventId, "run.recorded", Date.now(), '{"run_ids":["waited"]}', null];
    sql.exec(LOGS_IN_ROWS);
    sql.exec("UPDATE journal SET body = ? WHERE slot = -1", JSON.stringify(before));
    sql.exec(
      "INSERT OR REPLACE INTO journal (slot, seq, body) VALUES (?, ?, ?)",
      1 + (seq % 256),
      seq,
      JSON.stringify([["events", [event], []]]),
    );
  });
}

test("entries and events of a version that stored each in a row stay, and new ones follow them", async () => {
  const org = await newSpender();
  const POLICY = { runs_days: 3, audit_days: 90, deliveries_days: 7, legal_hold: false };
  const traces: string[] = [];
  const record = async (id: string) => {
    const run = await org.run({ id });
    expect(run.status).toBe(201);
    traces.push(run.headers.get(TRACE_HEADER) ?? "");
  };
  const idsOf = async (path: string) =>
    ((await org.send("GET", path)).body.data as { id: string }[]).map(({ id }) => id);
  await org.send("PUT", "retention-policy", POLICY);
  for (const id of ["a", "b", "c"]) await record(id);
  const events = await idsOf("events?sort=created_at&limit=100");
  const entries = await idsOf("audit-log?sort=created_at&limit=100");
  const page = (await org.send("GET", "events?sort=created_at&limit=2")).body;
  const waited = newId("evt", Date.now());
  await putBack(org.id, waited);
  await evictDurableObject(env.ORG.getByName(org.id));

  await record("d");
  const later = await idsOf("events?sort=created_at&limit=100");
  expect(later.slice(0, events.length + 1)).toEqual([...events, waited]);
  expect(later.length).toBeGreaterThan(events.length + 1);
  expect(await idsOf(`events?sort=created_at&limit=2&cursor=${page.next_cursor}`)).toEqual(later.slice(2, 4));
  expect((await idsOf("audit-log?sort=created_at&limit=100")).slice(0, entries.length)).toEqual(entries);
  expect(await idsOf("events?limit=100")).toEqual(later.toReversed());
  expect((await org.send("GET", "audit-log/verify")).body).toMatchObject({ valid: true });
  for (const trace_id of [traces[0], traces.at(-1)]) {
    expect((await org.send("POST", "explain", { trace_id })).status).toBe(200);
  }
  const counts = "SELECT (SELECT COUNT(*) FROM audit) + (SELECT COUNT(*) FROM events) AS n";
  expect(await rowsOf(org.id, counts)).not.toEqual([{ n: 0 }]);

  await org.advance(100 * 86_400);
  expect(await rowsOf(org.id, counts)).toEqual([{ n: 0 }]);
  expect(await idsOf("events?limit=100")).toEqual(later.slice(-1));
  expect((await org.send("GET", "audit-log/verify")).body).toMatchObject({ valid: true });
  await record("e");
  const [newest, ...rest] = await idsOf("events?limit=100");
  expect(rest).toEqual(later.slice(-1));
  expect(newest).not.toBe(later.at(-1));
});
