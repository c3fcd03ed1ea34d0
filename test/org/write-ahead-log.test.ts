import { runInDurableObject } from "cloudflare:test";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  deleteHold,
  endHolds,
  type HoldRow,
  insertHold,
  loadHold,
  loadHolds,
} from "../../src/org/decisions/store.ts";
import { checkpointFirst, checkpoint, walTransaction, transaction } from "../../src/storage/transaction.ts";
import { recordEvents } from "../../src/org/kernel/events/append.ts";
import {
  deleteRecord,
  loadRecord,
  type Record as Kept,
  saveRecord,
} from "../../src/org/kernel/idempotency/store.ts";
import { holdsOf, storedHolds } from "../support/holds.ts";
import { rowsOf } from "../support/rows.ts";
import { call, env, newOrg } from "../support/worker.ts";
import { EVENT_ROWS } from "../support/logs.ts";
import { evict } from "../support/evict.ts";

/** What a command does to the tables of the log, of a kind that it is told apart by. */
type Change =
  | { readonly kind: "save" | "delete"; readonly key: string }
  | { readonly kind: "hold" | "drop"; readonly key: string }
  | { readonly kind: "event" | "checkpoint" };
type Command = {
  readonly changes: readonly Change[];
  /** Inside a transaction of their own, which is undone. */
  readonly refused: readonly Change[];
  readonly usesWal: boolean;
  readonly fails: "never" | "inside" | "at its end";
};
type Step = Command | "checkpoint" | "wake";

const key = fc.constantFrom("a", "b", "c", "d");
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constantFrom("save" as const, "delete" as const), key }),
  fc.record({ kind: fc.constantFrom("hold" as const, "drop" as const), key }),
  fc.record({ kind: fc.constantFrom("event" as const, "event" as const, "checkpoint" as const) }),
);
const changes = fc.array(change, { maxLength: 6 });
const command = fc.record({
  changes,
  refused: changes,
  usesWal: fc.constant(true),
  fails: fc.constantFrom("never", "never", "never", "never", "inside", "at its end"),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: command },
  { weight: 1, arbitrary: command.map((one) => ({ ...one, usesWal: false })) },
  { weight: 2, arbitrary: fc.constant("checkpoint" as const) },
  { weight: 2, arbitrary: fc.constant("wake" as const) },
);

/** What should be there. */
interface State {
  kept: Map<string, number>;
  holds: Map<string, number>;
  events: number[];
}

function copyOf({ kept, holds, events }: State): State {
  return { kept: new Map(kept), holds: new Map(holds), events: [...events] };
}

const idOf = (name: string) => `rsv_${name.repeat(26)}`;

function aRecord(name: string, fence: number): Kept {
  const unset = { status: null, code: null, etag: null, sealed: null };
  return { route: "r", key: name, digest: "d", fence, seed: "s", reserved_at: 1, ...unset };
}

function aHold(name: string, tokens: number): HoldRow {
  return {
    id: idOf(name),
    status: "settled",
    at: 1,
    expires_at: 2,
    ended_at: 3,
    amount: "1",
    meters: "",
    customer_id: null,
    verdict: "",
    unreported: null,
    rates: "",
    tokens,
    beside: null,
    asked: null,
    key_id: null,
  };
}

let numbered = 0;

function apply(sql: SqlStorage, state: State, { kind, ...of }: Change): void {
  const name = "key" in of ? of.key : "";
  numbered += 1;
  if (kind === "checkpoint") checkpoint(sql);
  else if (kind === "event") {
    recordEvents({ sql, now: 1, parent: null }, "run.recorded", [{ n: numbered }]);
    state.events.push(numbered);
  } else if (kind === "save") {
    saveRecord(sql, aRecord(name, numbered));
    state.kept.set(name, numbered);
  } else if (kind === "delete") {
    deleteRecord(sql, "r", name);
    state.kept.delete(name);
  } else {
    // No two holds have one id: whoever makes one takes the other away.
    deleteHold(sql, idOf(name));
    state.holds.delete(name);
    if (kind === "drop") return;
    insertHold(sql, aHold(name, numbered));
    state.holds.set(name, numbered);
  }
}

class Undone extends Error {}

function undone(run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof Undone)) throw error;
  }
}

/** A storage that takes no outermost transaction. */
function failing(storage: DurableObjectStorage): DurableObjectStorage {
  const transactionSync = <T>(run: () => T): T =>
    storage.transactionSync(() => {
      run();
      throw new Undone();
    });
  return { sql: storage.sql, transactionSync } as unknown as DurableObjectStorage;
}

/** Runs a command as the object would; the state after it. */
function performed(storage: DurableObjectStorage, before: State, given: Command): State {
  const state = copyOf(before);
  const open = given.usesWal ? walTransaction : transaction;
  try {
    open(given.fails === "at its end" ? failing(storage) : storage, () => {
      for (const one of given.changes) apply(storage.sql, state, one);
      undone(() =>
        transaction(storage, () => {
          const lost = copyOf(state);
          for (const one of given.refused) apply(storage.sql, lost, one);
          agree(storage.sql, lost);
          throw new Undone();
        }),
      );
      agree(storage.sql, state);
      if (given.fails === "inside") throw new Undone();
    });
    return state;
  } catch (error) {
    if (!(error instanceof Undone)) throw error;
    return before;
  }
}

/** As a command sees them, whatever is in the tables. */
function agree(sql: SqlStorage, { kept, holds }: State): void {
  for (const name of ["a", "b", "c", "d"]) {
    expect(loadRecord(sql, "r", name)?.fence).toBe(kept.get(name));
    expect(loadHold(sql, idOf(name))?.tokens).toBe(holds.get(name));
    expect(loadHolds(sql, [idOf(name)]).holds.get(idOf(name))?.tokens).toBe(holds.get(name));
  }
}

function inTables(sql: SqlStorage, { kept, holds, events }: State): void {
  const records = sql.exec<{ key: string; fence: number }>(
    "SELECT key, fence FROM idempotency WHERE route = 'r'",
  );
  expect(new Map(records.toArray().map((row) => [row.key, row.fence]))).toEqual(kept);
  const held = storedHolds(sql).toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const expected = [...holds].toSorted(([one], [other]) => (one < other ? -1 : 1));
  expect(held.map((row) => [row.id, row.tokens])).toEqual(
    expected.map(([name, tokens]) => [idOf(name), tokens]),
  );
  const said = sql.exec<{ n: number }>(
    `SELECT data ->> 'n' AS n FROM ${EVENT_ROWS} WHERE type = 'run.recorded' ORDER BY seq`,
  );
  expect(said.toArray().map(({ n }) => n)).toEqual(events);
}

test("whatever is written, undone, checkpointed and woken, rows are as they were last written", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 25 }), async (steps) => {
      const org = await newOrg();
      const stub = env.ORG.getByName(org.id);
      let state: State = { kept: new Map(), holds: new Map(), events: [] };
      for (const next of steps) {
        if (next === "wake") await evict(stub);
        await runInDurableObject(stub, (_object, { storage }) => {
          if (next === "checkpoint") {
            checkpointFirst(storage);
            inTables(storage.sql, state);
          } else if (next !== "wake") state = performed(storage, state, next);
          agree(storage.sql, state);
        });
      }
      await runInDurableObject(stub, (_object, { storage }) => {
        checkpointFirst(storage);
        inTables(storage.sql, state);
      });
    }),
    { numRuns: 20, endOnFailure: true },
  );
}, 300_000);

test("a hold that a command reads before a checkpoint and changes after it stays one hold", async () => {
  const org = await newOrg();
  await runInDurableObject(env.ORG.getByName(org.id), (_object, { storage }) => {
    const { sql } = storage;
    walTransaction(storage, () => insertHold(sql, aHold("a", 1)));
    walTransaction(storage, () => {
      const hold = loadHold(sql, idOf("a"));
      checkpoint(sql);
      if (hold !== null) endHolds(sql, [hold], "released", 9);
    });
    checkpointFirst(storage);
  });
  const holds = await holdsOf(org.id);
  expect(holds.map(({ status, ended_at }) => [status, ended_at])).toEqual([["released", 9]]);
});

async function logOf(orgId: string) {
  return runInDurableObject(env.ORG.getByName(orgId), (_object, { storage }) =>
    storage.sql
      .exec<{ slot: number; seq: number; body: string }>("SELECT slot, seq, body FROM journal ORDER BY slot")
      .toArray(),
  );
}

async function put(orgId: string, name: string, sealed: string): Promise<void> {
  await runInDurableObject(env.ORG.getByName(orgId), (_object, { storage }) =>
    walTransaction(storage, () => saveRecord(storage.sql, { ...aRecord(name, 1), sealed })),
  );
}

test("a command that changes more than a row can hold writes to the tables at once", async () => {
  const org = await newOrg();
  const before = await logOf(org.id);
  await put(org.id, "long", "x".repeat(300_000));
  expect(await logOf(org.id)).toEqual(before);
  await put(org.id, "short", "x");
  expect(await logOf(org.id)).toHaveLength(before.length + 1);
  const stored = await rowsOf<{ n: number }>(
    org.id,
    "SELECT length(sealed) AS n FROM idempotency WHERE route = 'r' ORDER BY key",
  );
  expect(stored).toEqual([{ n: 300_000 }, { n: 1 }]);
});

test("entries that are long together go to the tables before a wake would have to read them all", async () => {
  const org = await newOrg();
  const waiting = async () => (await logOf(org.id)).reduce((sum, { body }) => sum + body.length, 0);
  let longest = 0;
  for (let n = 0; n < 12; n += 1) {
    await put(org.id, `k${n}`, "x".repeat(100_000));
    const unfolded = await runInDurableObject(env.ORG.getByName(org.id), (_object, { storage: { sql } }) =>
      sql.exec<{ n: number }>("SELECT COUNT(*) AS n FROM idempotency WHERE route = 'r'").one(),
    );
    longest = Math.max(longest, (n + 1 - unfolded.n) * 100_000);
  }
  expect(longest).toBeLessThanOrEqual(500_000);
  expect(longest).toBeGreaterThan(100_000);
  expect(await waiting()).toBeLessThan(12 * 100_000);
});

test("entries take turns in a bounded number of rows, and waking finds all that wait", async () => {
  const org = await newOrg();
  const names = Array.from({ length: 700 }, (_, index) => `k${index}`);
  for (const name of names) await put(org.id, name, name);
  const rows = await logOf(org.id);
  expect(rows.length).toBeLessThanOrEqual(258);
  await evict(env.ORG.getByName(org.id));
  const stored = await rowsOf<{ key: string }>(org.id, "SELECT key FROM idempotency WHERE route = 'r'");
  expect(stored.map((row) => row.key).toSorted()).toEqual(names.toSorted());
});

test("what an earlier version left in the log goes into its tables as they were then", async () => {
  const org = await newOrg();
  const stub = env.ORG.getByName(org.id);
  await put(org.id, "a", "x");
  await runInDurableObject(stub, (_object, { storage: { sql } }) => {
    // A version whose records had neither an answer nor its status, and their columns in another order.
    const columns = ["key", "route", "fence", "digest", "seed", "reserved_at"];
    const changing = columns.slice(2);
    const named = columns.slice(0, 2);
    const shape = { name: "idempotency", columns, key: named, named, changing };
    sql.exec("UPDATE journal SET body = ? WHERE slot = -1", JSON.stringify([shape]));
    const body = JSON.stringify([["idempotency", [["a", "r", 7, "d", "s", 1]], []]]);
    sql.exec("UPDATE journal SET body = ? WHERE slot > 0 AND seq = (SELECT MAX(seq) FROM journal)", body);
  });
  await evict(stub);
  const rows = await rowsOf(org.id, "SELECT fence, status FROM idempotency WHERE route = 'r'");
  expect(rows).toEqual([{ fence: 7, status: null }]);
  expect((await logOf(org.id)).find(({ slot }) => slot === -1)?.body).toContain("sealed");
});

test("a log that lacks an entry serves nothing that it might be wrong about", async () => {
  const org = await newOrg();
  const stub = env.ORG.getByName(org.id);
  for (const name of ["a", "b", "c"]) await put(org.id, name, "x");
  await runInDurableObject(stub, (_object, { storage: { sql } }) =>
    sql.exec("DELETE FROM journal WHERE slot > 0 AND seq = (SELECT MAX(seq) - 1 FROM journal)"),
  );
  await evict(stub);
  const answer = await call("GET", `/v1/orgs/${org.id}/budgets`, { key: org.ownerKey });
  expect(answer.status).toBeGreaterThanOrEqual(500);
});
