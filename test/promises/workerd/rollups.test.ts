import { runInDurableObject } from "cloudflare:test";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Dimension } from "../../../src/contract/dimensions.ts";
import type { Refusal } from "../../../src/contract/refusal.ts";
import { type ReportCursor, sumUsage } from "../../../src/org/usage/report.ts";
import { checkpointFirst } from "../../../src/storage/transaction.ts";
import type { ReportAsk } from "../../../src/domain/usage-report/ask.ts";
import { runSegments } from "../../../src/org/runs/segments/segments.ts";
import { lastSeqOf } from "../../../src/storage/segments/metadata.ts";
import { partsOf } from "../../../src/org/usage/scan-parts.ts";
import { archiveEverything, bucket, DAY_SECONDS, filesOf } from "../../support/archive.ts";
import { rollUpAll, reportsOf, withoutRollups } from "../../support/rollups.ts";
import { newSpender, type Spender } from "../../support/ledger.ts";
import { rowsOf } from "../../support/rows.ts";
import { call, env } from "../../support/worker.ts";
import { evict } from "../../support/evict.ts";

const START_MS = Date.UTC(2026, 10, 10);
const HOUR_SECONDS = 3600;
const SHORTEST = { runs_days: 3, audit_days: 90, deliveries_days: 7 };

let made = 0;

/** Runs a second apart, with some of everything that reports tell apart. */
function runs(count: number, users = 20): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, at) => {
    const nth = (made += 1);
    return {
      id: `run-${nth}`,
      started_at: new Date(START_MS + at * 5000).toISOString(),
      model: `acme/m${nth % 3}`,
      usage: { input_tokens: nth, output_tokens: 5, cache_read_tokens: nth % 4 === 0 ? 3 : 0 },
      ...costOf(nth),
      ...(nth % 5 === 0 ? {} : { user_id: `user-${(nth * 7) % users}` }),
      ...(nth % 3 === 0 ? { provider: `provider-${nth % 2}` } : {}),
      ...(nth % 7 === 0 ? { outcome: "failed" } : {}),
      ...(nth % 4 === 0 ? {} : { tags: { team: `team-${nth % 6}`, stage: nth % 2 === 0 ? "live" : "test" } }),
    };
  });
}

/** Some are priced by the book, so that they saved something: up to millions of dollars each. */
function costOf(nth: number): object {
  if (nth % 8 === 0) return nth % 16 === 0 ? { variant: "batch" } : {};
  return { cost_usd: nth % 50 === 0 ? "9000000.000000001" : `0.00${1000 + (nth % 89)}` };
}

const PRICE = {
  input_usd_per_mtok: "900000000",
  output_usd_per_mtok: "900000000",
  cache_read_usd_per_mtok: "0.000000001",
  variants: { batch: "0.1" },
};

const priced = new WeakSet<Spender>();

async function store(org: Spender, count: number, users?: number): Promise<readonly string[]> {
  if (!priced.has(org)) {
    for (const model of ["m0", "m1", "m2"])
      await org.send("PUT", `models/${encodeURIComponent(`acme/${model}`)}`, PRICE);
    priced.add(org);
  }
  const sent = runs(count, users);
  const { body } = await org.bulk(sent);
  expect(body).toMatchObject({ accepted: count });
  return sent.map(({ id }) => String(id));
}

const rollupsOf = (orgId: string) =>
  rowsOf<{ kind: number; groups: number; data: ArrayBuffer }>(
    orgId,
    "SELECT kind, groups, data FROM run_digests ORDER BY first_seq, kind",
  );

async function expectSame(org: Spender): Promise<void> {
  expect(await reportsOf(org)).toEqual(await withoutRollups(org.id, () => reportsOf(org)));
}

/** An object that sleeps cannot be evicted. */
async function wake(org: Spender): Promise<void> {
  expect((await call("GET", "/v1/runs?limit=1", { key: org.key })).status).toBe(200);
  await evict(env.ORG.getByName(org.id));
}

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("store"), count: fc.integer({ min: 1, max: 700 }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("rollup") }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("adjust"), at: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("archive") }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("a day passes") }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("wake") }) },
);
type Step = { readonly kind: string; readonly count?: number; readonly at?: number };

async function play(org: Spender, one: Step, ids: string[]): Promise<void> {
  if (one.kind === "store") ids.push(...(await store(org, one.count ?? 1)));
  if (one.kind === "rollup") await rollUpAll(org.id);
  if (one.kind === "archive") await archiveEverything(org.id);
  if (one.kind === "a day passes") await org.advance(DAY_SECONDS);
  if (one.kind === "wake") await wake(org);
  if (one.kind === "adjust" && ids.length > 0) {
    const path = `/v1/runs/${ids[(one.at ?? 0) % ids.length]}/adjustments`;
    await call("POST", path, { key: org.key, body: { amount_usd: "-0.0000001", reason: "credit" } });
  }
}

const DAY_MS = 86_400_000;

/** Where each step of a report by these names gets its figures, with the runs that it counts. */
async function sourcesOf(
  org: Spender,
  names: readonly Dimension[],
  [fromMs, toMs]: readonly [number, number],
) {
  return runInDurableObject(env.ORG.getByName(org.id), (_object, { storage }) => {
    const view = { sql: checkpointFirst(storage), now: START_MS + 2 * DAY_MS } as Parameters<
      typeof sumUsage.run
    >[0];
    const groupBy = names.map((name) => ({ kind: "name", name }) as const);
    const report = { ask: { fromMs, toMs, groupBy, filters: {} }, timeZone: "UTC" };
    const sources: string[][] = [];
    let [cursor, counted]: [ReportCursor | null, number] = [null, 0];
    do {
      const taken = sumUsage.run(view, { report, cursor }) as Exclude<
        ReturnType<typeof sumUsage.run>,
        Refusal
      >;
      sources.push([...taken.sources]);
      for (const [, , [runsOf = 0]] of taken.rows) counted += runsOf;
      cursor = taken.next;
    } while (cursor !== null);
    return [sources, counted];
  });
}

test("a report takes the sums of days, rollups or segments, says which, and counts the same runs", async () => {
  const org = await newSpender();
  await store(org, 700);
  await rollUpAll(org.id);
  const day = [START_MS, START_MS + DAY_MS] as const;
  expect(await sourcesOf(org, ["model"], day)).toEqual([[["days"]], 700]);
  expect(await sourcesOf(org, ["user_id"], day)).toEqual([[["rollups"]], 700]);
  expect(await sourcesOf(org, ["user_id", "model"], day)).toEqual([[["segments"]], 700]);
  const around = [START_MS - DAY_MS / 2, START_MS + DAY_MS + 1] as const;
  expect(await sourcesOf(org, ["model"], around)).toEqual([[["days"], [], []], 700]);
  const part = [START_MS - DAY_MS, START_MS + 60_000] as const;
  expect(await sourcesOf(org, ["model"], part)).toEqual([[["days"], ["segments"]], 12]);
});

describe("rollups of runs", () => {
  test("say what their runs add up to, after any operations", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 12 }), async (steps) => {
        const org = await newSpender();
        await org.send("PUT", "retention-policy", SHORTEST);
        const ids: string[] = [];
        const begun: Step[] = [
          { kind: "store", count: 600 },
          { kind: "store", count: 600 },
          { kind: "rollup" },
        ];
        for (const one of [...begun, ...steps]) await play(org, one, ids);
        await expectSame(org);
      }),
      { numRuns: 5 },
    );
  });

  test("do not count an estimate that a run has replaced", async () => {
    const org = await newSpender();
    const held = await org.decide("2", { on_expiry: "charge", hold_seconds: 30, user_id: "only-estimated" });
    await org.advance(31);
    await store(org, 600);
    await rollUpAll(org.id);
    const reservation_id = held.body.reservation.id;
    expect((await org.run({ reservation_id, cost_usd: "0.5", user_id: "user-1" })).status).toBe(201);
    const { body } = await org.send("GET", "usage/report?group_by=user_id");
    expect(body.data.map((row: { user_id: string }) => row.user_id)).not.toContain("only-estimated");
    await expectSame(org);
  });

  test("are not taken by a report that began after their first run, or ends before their last", async () => {
    const org = await newSpender();
    await store(org, 700);
    await rollUpAll(org.id);
    const isTaken = await runInDurableObject(env.ORG.getByName(org.id), (_object, { storage: { sql } }) => {
      const segments = [...runSegments(sql).held()];
      const [first, last] = [segments[0]?.firstSeq ?? 0, Math.max(...segments.map(lastSeqOf))];
      const ask: ReportAsk = {
        groupBy: [{ kind: "name", name: "user_id" }],
        filters: {},
        fromMs: 0,
        toMs: Number.MAX_SAFE_INTEGER,
      };
      const taken = (fromRun: number, toRun: number) =>
        partsOf(runSegments(sql), segments, { ask, fromRun, toRun, replaced: [] }).some(
          ({ rollup }) => rollup !== null,
        );
      return [taken(first, last), taken(first + 1, last), taken(first, last - 1)];
    });
    expect(isTaken).toEqual([true, false, false]);
  });

  test("answer a report by user although the file with its runs is missing", async () => {
    const org = await newSpender();
    for (let batch = 0; batch < 2; batch += 1) await store(org, 700);
    const before = await org.send("GET", "usage/report?from=2026-11-01&to=2026-12-01&group_by=user_id");
    await org.advance(DAY_SECONDS + 3600);
    await expect.poll(() => rowsOf(org.id, "SELECT 1 FROM run_blocks")).toEqual([]);
    await bucket().delete(await filesOf(org.id));
    const after = await org.send("GET", "usage/report?from=2026-11-01&to=2026-12-01&group_by=user_id");
    expect(after.status).toBe(200);
    expect(after.text).toBe(before.text);
    const each = await org.send("GET", "usage/report?from=2026-11-01&to=2026-12-01&group_by=user_id,model");
    expect(each.status).toBe(503);
  });

  test("are not made of names that nearly every run has anew", async () => {
    const org = await newSpender();
    for (let batch = 0; batch < 2; batch += 1) await store(org, 700, 1_000_000_000);
    await rollUpAll(org.id);
    const byKind = Map.groupBy(await rollupsOf(org.id), ({ kind }) => kind);
    expect(byKind.get(20)?.map(({ groups, data }) => [groups, data.byteLength])).toEqual([[0, 0]]);
    expect(byKind.get(22)?.map(({ groups }) => groups)).toEqual([1]);
    await expectSame(org);
  });

  test("go with the first of their runs that retention deletes, names and all", async () => {
    const org = await newSpender();
    await org.send("PUT", "retention-policy", SHORTEST);
    await store(org, 600);
    await org.advance(20 * HOUR_SECONDS);
    const [kept = ""] = await store(org, 600);
    await rollUpAll(org.id);
    expect((await rollupsOf(org.id)).map(({ groups }) => groups > 0)).toEqual(Array(5).fill(true));
    await org.advance(62 * HOUR_SECONDS);
    expect((await call("GET", `/v1/runs/${kept}`, { key: org.key })).status).toBe(200);
    expect(await rollupsOf(org.id)).toEqual([]);
    await expectSame(org);
  });

  test("are made by themselves", async () => {
    const org = await newSpender();
    for (let batch = 0; batch < 17; batch += 1) await store(org, 1000);
    const count = async () => (await rollupsOf(org.id)).length;
    await expect.poll(count).toBe(5);
    await expectSame(org);
  });
});
