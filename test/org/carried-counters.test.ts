import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { readPolicy } from "../../src/domain/rate/policy.ts";
import { LeaseLedger } from "../../src/gate/lease/lease-ledger.ts";
import { MOST_CHARACTERS, MOST_ENTRIES } from "../../src/storage/wal/entries.ts";
import { checkpointFirst, walTransaction } from "../../src/storage/transaction.ts";
import { RateMeters } from "../../src/org/rate-limits/meters.ts";
import { env, newOrg } from "../support/worker.ts";
import { evict } from "../support/evict.ts";

const POLICY = readPolicy(1_000_000);
const NOW = 1_800_000_000_000;
const CLOCK = { real: NOW, org: NOW };
const meterOf = (subject: string) => ({ policy: POLICY, key: `${POLICY.id} ${subject}` });

/** Counts one for each of these subjects, each in a walTransaction transaction of its own. */
function countAll(storage: DurableObjectStorage, subjects: readonly string[]): void {
  const meters = new RateMeters(storage.sql, 100);
  for (const subject of subjects) {
    walTransaction(storage, () => meters.take(meterOf(subject), 1, NOW, NOW));
  }
}

const countOf = (sql: SqlStorage, table: string) =>
  sql.exec<{ count: number }>(`SELECT COUNT(*) AS count FROM ${table}`).one().count;

const longestEntry = (sql: SqlStorage) =>
  sql.exec<{ longest: number }>("SELECT MAX(LENGTH(body)) AS longest FROM journal").one().longest;

test("counters stay in the log when it only makes room, are found after a restart, and are stored by a checkpoint", async () => {
  const { id } = await newOrg();
  const object = env.ORG.getByName(id);
  const subjects = Array.from({ length: 3 * MOST_ENTRIES }, (_, at) => `c${at % 50}`);
  await runInDurableObject(object, (_, { storage }) => {
    countAll(storage, subjects);
    expect(countOf(storage.sql, "rate_counts")).toBe(0);
    expect(countOf(storage.sql, "journal")).toBeLessThanOrEqual(MOST_ENTRIES + 2);
  });
  await evict(object);
  const counted = subjects.filter((subject) => subject === "c7").length;
  await runInDurableObject(object, (_, { storage }) => {
    const meters = new RateMeters(storage.sql, 100);
    expect(meters.standing(meterOf("c7"), 0, new LeaseLedger(), CLOCK).used).toBe(counted);
    checkpointFirst(storage);
    expect(countOf(storage.sql, "rate_counts")).toBe(50);
    expect(meters.standing(meterOf("c7"), 0, new LeaseLedger(), CLOCK).used).toBe(counted);
  });
});

test("thousands of counters stay in the log, in entries that a row can hold", async () => {
  const { id } = await newOrg();
  const object = env.ORG.getByName(id);
  const long = "x".repeat(1000);
  const subjects = Array.from({ length: 2000 }, (_each, at) => `${long}${at}`);
  await runInDurableObject(object, (_, { storage }) => {
    countAll(storage, subjects);
    expect(countOf(storage.sql, "rate_counts")).toBe(0);
    expect(longestEntry(storage.sql)).toBeLessThanOrEqual(MOST_CHARACTERS + 1000);
  });
  await evict(object);
  await runInDurableObject(object, (_, { storage }) => {
    const meters = new RateMeters(storage.sql, 100);
    const used = subjects.map(
      (subject) => meters.standing(meterOf(subject), 0, new LeaseLedger(), CLOCK).used,
    );
    expect(used).toEqual(subjects.map(() => 1));
  });
});

test("more counters than a log can carry are stored", async () => {
  const { id } = await newOrg();
  await runInDurableObject(env.ORG.getByName(id), (_, { storage }) => {
    const long = "x".repeat(2000);
    countAll(
      storage,
      Array.from({ length: 2500 }, (_each, at) => `${long}${at}`),
    );
    expect(countOf(storage.sql, "rate_counts")).toBeGreaterThan(400);
  });
});
