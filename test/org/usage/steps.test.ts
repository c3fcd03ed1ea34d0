import { env, runInDurableObject } from "cloudflare:test";
import { beforeAll, expect, test, vi } from "vitest";
import type { ReportAsk } from "../../../src/domain/usage-report/ask.ts";
import type { RunRecord } from "../../../src/domain/run/segment/record.ts";
import { isRefusal } from "../../../src/contract/refusal.ts";
import { deleteOldest, oldestRows } from "../../../src/storage/segments/retention.ts";
import { tombstoneOf } from "../../../src/org/runs/purged-runs.ts";
import { runSegments } from "../../../src/org/runs/segments/segments.ts";
import { findFirstKeptTime, type ScanCursor, scanUsage } from "../../../src/org/usage/scan.ts";
import { newSpender, type Spender } from "../../support/ledger.ts";
import { runRecord } from "../../support/run-records.ts";
import { storeRuns } from "../../support/stored-runs.ts";

/** More than one step looks at, and more than one report may group by user. The last segment is small, and grows. */
const COUNT = 120_010;
const BASE = Date.parse("2026-11-01T00:00:00Z");
const ASK: ReportAsk = {
  fromMs: BASE,
  toMs: BASE + 86_400_000,
  groupBy: [{ kind: "name", name: "model" }],
  filters: {},
};

let org: Spender;

function aRun(at: number): RunRecord {
  return runRecord(`run-${at}`, {
    startedAt: BASE + at,
    chargedAt: BASE + at,
    recordedAt: BASE + at,
    model: at % 2 === 0 ? "even" : "odd",
    inputTokens: 2,
    outputTokens: 1,
    cost: 3n,
    userId: `user-${at}`,
  });
}

function inObject<T>(use: (sql: SqlStorage) => T): Promise<T> {
  const namespace = (env as unknown as { ORG: DurableObjectNamespace }).ORG;
  return runInDurableObject(namespace.getByName(org.id), (_object, state) => use(state.storage.sql));
}

const step = (cursor: ScanCursor | null) =>
  inObject((sql) => {
    const made = scanUsage(sql, ASK, cursor);
    if (isRefusal(made)) throw new Error(made.message);
    return made;
  });

beforeAll(async () => {
  org = await newSpender();
  await storeRuns(org.id, COUNT, aRun);
}, 120_000);

test("a report of many steps leaves out what is recorded after its first, and counts the rest once", async () => {
  const first = await step(null);
  expect(first.next).not.toBeNull();
  await org.run({ started_at: new Date(BASE).toISOString(), model: "even" });
  const second = await step(first.next);
  expect(second.next).toBeNull();
  const sum = new Map<string, number>();
  for (const [[name], nanos, [runs = 0]] of [...first.rows, ...second.rows]) {
    expect(nanos).toBe(String(runs * 3));
    sum.set(String(name), (sum.get(String(name)) ?? 0) + runs);
  }
  expect(Object.fromEntries(sum)).toEqual({ even: COUNT / 2, odd: COUNT / 2 });
  const { body } = await org.send("GET", "usage/report?from=2026-11-01&to=2026-11-02&group_by=model,outcome");
  expect(body.totals).toMatchObject({ runs: COUNT + 1, cost_usd: "1.00036003" });
});

test("a report that is asked for again reads no full step again, and counts what came since", async () => {
  const first = await readReport();
  const again = await readReport();
  expect(again.runs).toBe(first.runs);
  expect([first.store > 100, again.store]).toEqual([true, 0]);
  await org.run({ started_at: new Date(BASE).toISOString(), model: "even" });
  const later = await readReport();
  expect(later.runs).toBe(first.runs + 1);
  expect(later.store).toBeLessThan(first.store / 2);
});

/** The runs of all steps, and how many segments were read for them. */
function readReport(): Promise<{ runs: number; store: number }> {
  return inObject((sql) => {
    const exec = vi.spyOn(sql, "exec");
    try {
      let [runs, isFirst] = [0, true];
      for (let cursor: ScanCursor | null = null; isFirst || cursor !== null; isFirst = false) {
        const made = scanUsage(sql, { ...ASK, fromMs: BASE - 1 }, cursor);
        if (isRefusal(made)) throw new Error(made.message);
        for (const [, , [count = 0]] of made.rows) runs += count;
        cursor = made.next;
      }
      return { runs, store: exec.mock.calls.filter(([text]) => text.includes("SELECT data")).length };
    } finally {
      exec.mockRestore();
    }
  });
}

test("a report counts an estimate that is replaced after it began, and not the run in its place", async () => {
  const { status, body } = await org.decide("2", { on_expiry: "charge", hold_seconds: 30, model: "late" });
  expect(status).toBe(200);
  const now = await org.advance(31);
  const ask = { ...ASK, fromMs: now - 3_600_000, toMs: now + 3_600_000 };
  const scanned = (cursor: ScanCursor | null) =>
    inObject((sql) => {
      const made = scanUsage(sql, ask, cursor);
      if (isRefusal(made)) throw new Error(made.message);
      return made.rows;
    });
  const begun = await inObject((sql) => {
    const { lastSeq } = runSegments(sql);
    return { run: 1, lastRun: lastSeq, adjustment: 0, lastAdjustment: 0 };
  });
  const run = { reservation_id: body.reservation.id, cost_usd: "0.5", model: "late" };
  expect((await org.run({ ...run, started_at: new Date(now).toISOString() })).status).toBe(201);
  expect(await scanned(begun)).toMatchObject([[["late"], "2000000000", { 0: 1 }]]);
  expect(await scanned(null)).toMatchObject([[["late"], "500000000", { 0: 1 }]]);
});

test("a report with too many groups is refused at group_by, and a filter makes it small", async () => {
  const path = "usage/report?from=2026-11-01&to=2026-11-02&group_by=user_id";
  const { status, body } = await org.send("GET", path);
  expect([status, body.error.details.fields[0]]).toMatchObject([
    422,
    { field: "group_by", code: "too_many" },
  ]);
  const one = await org.send("GET", `${path}&user_id=user-119999`);
  expect(one.body.data).toMatchObject([{ user_id: "user-119999", runs: 1 }]);
});

test("a step is lost where retention has taken away what it should look at next, and not before", async () => {
  const first = await step(null);
  await inObject((sql) => purgeOldest(sql, 10));
  expect((await step(first.next)).isLost).toBe(false);
  await inObject((sql) => purgeOldest(sql, first.next?.run ?? COUNT));
  expect((await step(first.next)).isLost).toBe(true);
  expect(await inObject(findFirstKeptTime)).not.toBeNull();
});

function purgeOldest(sql: SqlStorage, most: number): void {
  const store = runSegments(sql);
  for (let taken = 0; taken < most;) {
    const { rows } = oldestRows(store, BASE + COUNT);
    if (rows.length === 0) return;
    deleteOldest(
      store,
      rows.map((run) => tombstoneOf(run, store.hashKey)),
    );
    taken += rows.length;
  }
}
