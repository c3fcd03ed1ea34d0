import { runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { fetchingAsNeeded } from "../../../src/storage/needs-fetch.ts";
import { saveRecord } from "../../../src/org/kernel/idempotency/store.ts";
import { checkpointFirst, walTransaction, transaction } from "../../../src/storage/transaction.ts";
import { restoreFile } from "../../../src/storage/segments/archive/restore.ts";
import { archiveFile, deleteGone } from "../../../src/storage/segments/archive/archive.ts";
import { runSegments } from "../../../src/org/runs/segments/segments.ts";
import { archiveEverything, contextOf, filesOf, sendRuns, SMALL_FILES } from "../../support/archive.ts";
import { killedAt, killedInCall } from "../../support/kills.ts";
import { newSpender, type Spender } from "../../support/ledger.ts";
import { addToLog, EVENT_ROWS } from "../../support/logs.ts";
import { EVENTS } from "../../../src/org/kernel/events/log.ts";
import { rowsOf } from "../../support/rows.ts";
import { call, env } from "../../support/worker.ts";

/** More than any work has. */
const MOST_PLACES = 200;
/** One more than the runs that grow a block: each batch is a block. */
const BATCH = 65;
/** Small, for blocks that the archive takes one by one. */
const FEW = 5;
/** Each is a file of its own, and every list reads them all. */
const MOST_BATCHES = 6;

/** Without the rows of the checkpoint before it: how many wait for one depends on what isolates have reported. */
const isOfArchive = (place: string) => / run_| file| transaction/.test(place);

const nanosOf = (size: number) => size * 1000 + (size * (size - 1)) / 2;

const usdOf = (nanos: number): string => `0.${String(nanos).padStart(9, "0").replace(/0+$/, "")}`;

interface Killable extends Spender {
  readonly budgetId: string;
}

async function newKillable(): Promise<Killable> {
  const org = await newSpender();
  const made = await org.send("POST", "budgets", { scope_kind: "org", limit_usd: "900", period: "total" });
  return { ...org, budgetId: made.body.id };
}

const budgetOf = async (org: Killable) => (await org.send("GET", `budgets/${org.budgetId}`)).body;

async function listed(org: Killable): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page = await call("GET", `/v1/runs?limit=200${cursor === "" ? "" : `&cursor=${cursor}`}`, {
      key: org.key,
    });
    expect(page.status).toBe(200);
    ids.push(...page.body.data.map(({ id }: { id: string }) => id));
    cursor = page.body.next_cursor;
  }
  return ids.toSorted();
}

const idsOf = (batches: number, size: number) =>
  Array.from({ length: batches }, (_, batch) => Array.from({ length: size }, (__, at) => `b${batch}-${at}`))
    .flat()
    .toSorted();

/** Every run once, in lists, sums, reports and as a duplicate. */
async function expectAll(org: Killable, batches: number, size: number): Promise<void> {
  const spent = usdOf(batches * nanosOf(size));
  expect(await listed(org)).toEqual(idsOf(batches, size));
  expect(await budgetOf(org)).toMatchObject({ spent_usd: spent, reserved_usd: "0.00" });
  const range = "from=2026-11-09T12:00:00Z&to=2026-11-10T12:00:00Z";
  const report = await org.send("GET", `usage/report?${range}&group_by=model`);
  expect(report.body.data).toMatchObject([{ runs: batches * size, cost_usd: spent }]);
  for (const batch of new Set([0, batches - 1])) {
    expect((await sendRuns(org, `b${batch}`, size)).body).toMatchObject({ duplicates: size });
  }
}

/** Files and rows that name them are the same, and no two have the same run. */
async function expectFiles(org: Killable, runs: number): Promise<void> {
  const rows = await rowsOf<{ name: string; state: string; runs: number }>(
    org.id,
    "SELECT name, state, runs FROM run_files ORDER BY first_seq",
  );
  expect(rows.every(({ state }) => state === "made")).toBe(true);
  expect(rows.map(({ name }) => name)).toEqual(await filesOf(org.id));
  expect(rows.reduce((sum, row) => sum + row.runs, 0)).toBe(runs);
}

describe("an object that is killed", () => {
  test("anywhere while it archives has every run once, and leaves no file behind", async () => {
    let org = await newKillable();
    let batches = 0;
    const places: string[] = [];
    for (let place = 0; place < MOST_PLACES; place += 1) {
      if (batches === MOST_BATCHES) [org, batches] = [await newKillable(), 0];
      expect((await sendRuns(org, `b${batches}`, FEW)).body.accepted).toBe(FEW);
      batches += 1;
      const archive = async (storage: DurableObjectStorage) => {
        while (await archiveFile(contextOf(storage), SMALL_FILES)) continue;
      };
      const killed = await killedAt(org.id, place, archive, isOfArchive);
      await expectAll(org, batches, FEW);
      await archiveEverything(org.id);
      await expectFiles(org, batches * FEW);
      if (killed === null) break;
      places.push(killed);
    }
    expect(places).toEqual(
      expect.arrayContaining([
        "before INSERT INTO run_files",
        // "after a transaction" is the same moment as "before a file is put", and other work may have one there.
        "after a file is put",
        "before DELETE FROM run_blocks",
        "after INSERT INTO run_file_segments",
        "after a transaction",
      ]),
    );
    await expectAll(org, batches, FEW);
  });

  test("anywhere while it takes a file back has every run once, and deletes the file", async () => {
    const org = await newKillable();
    expect((await sendRuns(org, "b0", FEW)).body.accepted).toBe(FEW);
    const places: string[] = [];
    for (let place = 0; place < MOST_PLACES; place += 1) {
      // So that what was archived before is archived again.
      await rowsOf(org.id, "DELETE FROM run_archive");
      await archiveEverything(org.id);
      await expectFiles(org, FEW);
      const killed = await killedAt(org.id, place, takeBack);
      await expectAll(org, 1, FEW);
      await runInDurableObject(env.ORG.getByName(org.id), (_object, { storage }) => takeBack(storage));
      await expectFiles(org, 0);
      if (killed === null) break;
      places.push(killed);
    }
    expect(places).toEqual(
      expect.arrayContaining([
        "after INSERT INTO run_blocks",
        "before DELETE FROM run_file_segments",
        "before files are deleted",
        "after files are deleted",
        "after DELETE FROM run_files",
      ]),
    );
    await expectAll(org, 1, FEW);
  });

  test("anywhere while it merges blocks has stored all of a call or nothing", async () => {
    const org = await newKillable();
    const places: string[] = [];
    let batches = 0;
    for (let place = 0; place < MOST_PLACES; place += 1) {
      // With the last of these the blocks are merged.
      for (let small = 0; small < 7; small += 1) {
        expect((await sendRuns(org, `b${batches}`, BATCH)).body.accepted).toBe(BATCH);
        batches += 1;
      }
      const killed = await killedInCall(org.id, place, () => sendRuns(org, `b${batches}`, BATCH));
      const again = await sendRuns(org, `b${batches}`, BATCH);
      expect(Number(again.body.accepted) + Number(again.body.duplicates)).toBe(BATCH);
      expect([0, BATCH]).toContain(again.body.accepted);
      batches += 1;
      expect((await sendRuns(org, `b${batches - 2}`, BATCH)).body).toMatchObject({ duplicates: BATCH });
      expect(await budgetOf(org)).toMatchObject({ spent_usd: usdOf(batches * nanosOf(BATCH)) });
      if (killed === null) break;
      places.push(killed);
    }
    expect(places).toEqual(
      expect.arrayContaining(["before DELETE FROM run_blocks", "after DELETE FROM run_blocks"]),
    );
    expect(places.filter((place) => place === "before INSERT INTO run_blocks").length).toBe(2);
    await expectAll(org, batches, BATCH);
  });
});

/** As retention does, with all files. */
async function takeBack(storage: DurableObjectStorage): Promise<void> {
  for (;;) {
    const file = runSegments(storage.sql).ranges.find((range) => range.state === "archived");
    if (file === undefined) break;
    await fetchingAsNeeded(() =>
      transaction(storage, () => restoreFile(runSegments(storage.sql), file.firstSeq)),
    );
  }
  await deleteGone(contextOf(storage));
}

describe("an object that is killed anywhere while it folds its journal", () => {
  /** What frequent calls have done. */
  interface Done {
    runs: string[];
    open: number;
  }
  let org: Killable;
  let done: Done;

  beforeAll(async () => {
    org = await newKillable();
    done = { runs: [], open: 0 };
  });

  async function work(): Promise<void> {
    const decide = async () => {
      const decided = await org.decide("0.000000002", { hold_seconds: 3600 });
      return decided.body.reservation.id as string;
    };
    const record = async (fields: object = {}) => {
      const id = `r${done.runs.length}`;
      const recorded = await org.run({ id, cost_usd: "0.000000001", ...fields });
      expect(recorded.status).toBeLessThan(300);
      done.runs.push(id);
    };
    await record();
    await record({ reservation_id: await decide() });
    expect((await org.release(await decide())).status).toBe(204);
    await decide();
    done.open += 1;
  }

  async function expectDone(): Promise<void> {
    expect(await budgetOf(org)).toMatchObject({
      spent_usd: usdOf(done.runs.length),
      reserved_usd: usdOf(done.open * 2),
    });
    const events = await org.events("run.recorded");
    const announced = events.flatMap(({ data }) => data["run_ids"] as string[]);
    expect(announced.toSorted()).toEqual(done.runs.toSorted());
    const verified = await org.send("GET", "audit-log/verify");
    expect(verified.body).toMatchObject({ valid: true, breaks: [] });
  }

  /** Counters stay in the journal when it only makes room. */
  const STORED = [
    "before UPDATE audit_pages",
    "after UPDATE audit_pages",
    "before UPDATE event_pages",
    "after UPDATE event_pages",
    "after INSERT OR REPLACE INTO journal",
  ];
  const FOLDED = ["before INSERT INTO usage", ...STORED];

  const policyOf = (runs_days: number) => ({
    runs_days,
    audit_days: 400,
    deliveries_days: 30,
    legal_hold: false,
  });

  test("for another command has done all of that command or nothing", async () => {
    const places: string[] = [];
    let days = 100;
    await org.send("PUT", "retention-policy", policyOf(days));
    for (let place = 0; place < MOST_PLACES; place += 1) {
      await work();
      let status = 0;
      const killed = await killedInCall(org.id, place, async () => {
        ({ status } = await org.send("PUT", "retention-policy", policyOf(days + 1)));
      });
      await expectDone();
      const now = (await org.send("GET", "retention-policy")).body.runs_days;
      if (status < 300) expect(now).toBe(days + 1);
      expect([days, days + 1]).toContain(now);
      days = now;
      if (killed === null) break;
      places.push(killed);
    }
    expect(places).toEqual(expect.arrayContaining(FOLDED));
  });

  test("because it is full has recorded the run that filled it, or not", async () => {
    const places: string[] = [];
    for (let place = 0; place < MOST_PLACES; place += 1) {
      await work();
      await fill();
      const id = `r${done.runs.length}`;
      const run = { id, cost_usd: "0.000000001" };
      const killed = await killedInCall(org.id, place, () => org.run(run));
      expect((await org.run(run)).status).toBeLessThan(300);
      done.runs.push(id);
      await expectDone();
      if (killed === null) break;
      places.push(killed);
    }
    expect(places).toEqual(expect.arrayContaining(STORED));
  });

  /** Entries up to the last that waits. */
  async function fill(): Promise<void> {
    await runInDurableObject(env.ORG.getByName(org.id), (_object, { storage }) => {
      checkpointFirst(storage);
      for (let at = 0; at < 255; at += 1) {
        const kept = { route: "r", key: `k${at}`, digest: "d", fence: at, seed: "s", reserved_at: 1 };
        const unset = { status: null, code: null, etag: null, sealed: null };
        walTransaction(storage, () => saveRecord(storage.sql, { ...kept, ...unset }));
      }
    });
  }

  test("and deletes what is old of its logs has deleted all of it or nothing", async () => {
    const places: string[] = [];
    const eventIds = async () =>
      (await rowsOf<{ id: string }>(org.id, `SELECT id FROM ${EVENT_ROWS} ORDER BY seq`)).map(({ id }) => id);
    await addToLog(org.id, "events", LONG_EVENTS);
    await work();
    for (let place = 0; place < MOST_PLACES; place += 1) {
      const before = await eventIds();
      const killed = await killedAt(org.id, place, async (storage) =>
        transaction(storage, (sql) => EVENTS.deleteRead(sql, [...EVENTS.stored(sql).after(0)].slice(0, -1))),
      );
      const left = await eventIds();
      expect([before, before.slice(-1)]).toContainEqual(left);
      if (killed === null) break;
      places.push(killed);
    }
    expect(places).toEqual(
      expect.arrayContaining([
        "after DELETE FROM event_pages",
        "after UPDATE event_pages",
        "after a transaction",
      ]),
    );
  });

  /** Each has a page of its own. */
  const LONG_EVENTS = ["a", "b", "c"].map((name) => [
    null,
    `evt_${name}`,
    "test.ping",
    Date.now(),
    "x".repeat(60_000),
    null,
  ]);
});
