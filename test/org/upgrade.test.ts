import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { newId } from "../../src/domain/bytes/ulid.ts";
import { checkpointFirst } from "../../src/storage/transaction.ts";
import { OrgObject } from "../../src/org/object.ts";
import { applySchema, ORG_STEPS } from "../../src/org/schema.ts";
import { STORED_BEFORE } from "../../src/domain/tenant/stored-before.ts";
import { newSpender, type Spender } from "../support/ledger.ts";
import { contentsOf, rowsOf } from "../support/rows.ts";
import { call, env } from "../support/worker.ts";
import { evict } from "../support/evict.ts";

/** What an object that wakes does with tables of another version. */

/**
 * Puts an object back to a version whose events had no `parent`, and which had no exports, with an event that waits in the
 * log in the form of that version.
 */
function putBack(orgId: string, eventId: string): Promise<void> {
  return runInDurableObject(env.ORG.getByName(orgId), (_object, { storage }) => {
    checkpointFirst(storage);
    const { sql } = storage;
    const { body } = sql.exec<{ body: string }>("SELECT body FROM journal WHERE slot = -1").one();
    const shapes = (JSON.parse(body) as { name: string; columns: string[] }[]).map((shape) =>
      shape.name === "events" ? { ...shape, columns: shape.columns.slice(0, -1) } : shape,
    );
    const { seq } = sql.exec<{ seq: number }>("SELECT seq + 1 AS seq FROM journal WHERE slot = 0").one();
    const { last } = sql.exec<{ last: number }>("SELECT MAX(last) AS last FROM event_pages").one();
    const event = [last + 1, eventId, "run.recorded", Date.now(), '{"run_ids":["waited"]}'];
    sql.exec("UPDATE journal SET body = ? WHERE slot = -1", JSON.stringify(shapes));
    sql.exec(
      "INSERT OR REPLACE INTO journal (slot, seq, body) VALUES (?, ?, ?)",
      1 + (seq % 256),
      seq,
      JSON.stringify([["events", [event], []]]),
    );
    sql.exec("DROP TABLE exports; DROP TABLE export_windows; DROP TABLE export_files");
    sql.exec("DROP TABLE span_exports; DROP TABLE late_refusals");
    sql.exec("DELETE FROM schema_steps WHERE name LIKE 'exports/%'");
  });
}

test("an object of the version before gets the steps that it lacks, and keeps what waited in its log", async () => {
  const org = await newSpender();
  for (const id of ["a", "b"]) expect((await org.run({ id })).status).toBe(201);
  const eventIds = async () =>
    ((await org.send("GET", "events?sort=created_at&limit=100")).body.data as { id: string }[]).map(
      ({ id }) => id,
    );
  const before = await eventIds();
  const waited = newId("evt", Date.now());
  await putBack(org.id, waited);
  await evict(env.ORG.getByName(org.id));

  expect(await eventIds()).toEqual([...before, waited]);
  expect(await rowsOf(org.id, "SELECT 1 FROM exports")).toEqual([]);
  expect(await rowsOf(org.id, "SELECT 1 FROM schema_steps")).toHaveLength(ORG_STEPS.length);
  expect((await org.run({ id: "c" })).status).toBe(201);
  expect((await eventIds()).slice(0, before.length + 1)).toEqual([...before, waited]);
  expect((await org.send("GET", "audit-log/verify")).body).toMatchObject({ valid: true });
});

test("a step is applied once, after what waits in the log", async () => {
  const org = await newSpender();
  expect((await org.run({ id: "a" })).status).toBe(201);
  await runInDurableObject(env.ORG.getByName(org.id), (_object, { storage }) => {
    const lastEntry = "SELECT IFNULL(MAX(last), 0) AS last FROM audit_pages";
    const before = storage.sql.exec<{ last: number }>(lastEntry).one().last;
    const steps = [...ORG_STEPS, { name: "later/1", sql: `CREATE TABLE later AS ${lastEntry}` }];
    expect(applySchema(storage, steps)).toBe(true);
    expect(applySchema(storage, steps)).toBe(false);
    const [found] = storage.sql.exec<{ last: number }>("SELECT last FROM later").toArray();
    expect(found?.last).toBeGreaterThan(before);
  });
});

/** As a version from before the first release left it: without the first step, and with steps that are gone. */
async function storedBefore(): Promise<Spender> {
  const org = await newSpender();
  expect((await org.run({ id: "a" })).status).toBe(201);
  await rowsOf(org.id, "UPDATE schema_steps SET name = 'runs/1/repack' WHERE name = 'baseline'");
  return org;
}

test("an object from before the first release does not wake, and nothing in it changes", async () => {
  const org = await storedBefore();
  await runInDurableObject(env.ORG.getByName(org.id), async (_object, state) => {
    await state.storage.deleteAlarm();
    const before = contentsOf(state.storage.sql);
    expect(before).toContain("runs/1/repack");
    expect(() => new OrgObject(state, env)).toThrow(STORED_BEFORE);
    expect(() => applySchema(state.storage)).toThrow(STORED_BEFORE);
    expect(contentsOf(state.storage.sql)).toBe(before);
    expect(await state.storage.getAlarm()).toBeNull();
  });
});

test("an object from before the first release serves nothing, and says why", async () => {
  const org = await storedBefore();
  await evict(env.ORG.getByName(org.id));
  const said = { code: "service_unavailable", message: STORED_BEFORE };
  const calls = [
    org.send("GET", "budgets"),
    org.run({ id: "b" }),
    org.decide("1"),
    call("POST", "/v1/edge/decision", { key: org.key, body: { estimate: { cost_usd: "1" }, dry_run: true } }),
  ];
  for (const { status, body } of await Promise.all(calls)) {
    expect([status, body]).toMatchObject([503, { error: said }]);
  }
});
