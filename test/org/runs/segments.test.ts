import { runInDurableObject } from "cloudflare:test";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { encodeCursor, type ListQuery } from "../../../src/contract/list.ts";
import type { RunRecord } from "../../../src/domain/run/segment/record.ts";
import { fetchingAsNeeded } from "../../../src/storage/needs-fetch.ts";
import { restoreFile } from "../../../src/storage/segments/archive/restore.ts";
import { archiveFile, deleteGone } from "../../../src/storage/segments/archive/archive.ts";
import { type Cut, contextOf, cutOff, filesOf, SMALL_FILES } from "../../support/archive.ts";
import { checkpoint, transaction, walTransaction } from "../../../src/storage/transaction.ts";
import { runSegments } from "../../../src/org/runs/segments/segments.ts";
import { deleteOldest, oldestRows } from "../../../src/storage/segments/retention.ts";
import { tombstoneOf } from "../../../src/org/runs/purged-runs.ts";
import { pageOfRuns } from "../../../src/org/runs/list/page.ts";
import { newSpender } from "../../support/ledger.ts";
import { rowsOf } from "../../support/rows.ts";
import { runRecord } from "../../support/run-records.ts";
import { allRuns } from "../../support/stored-runs.ts";
import { call, env, newOrg } from "../../support/worker.ts";
import { evict } from "../../support/evict.ts";

type Step =
  | {
      readonly kind: "store" | "roll back";
      readonly batches: readonly (readonly RunRecord[])[];
      readonly usesWal: boolean;
    }
  | { readonly kind: "purge"; readonly count: number }
  | { readonly kind: "purge and roll back"; readonly count: number }
  | { readonly kind: "wake" }
  | { readonly kind: "archive" | "restore"; readonly cut: Cut | null };

let named = 0;
const aRun = fc
  .record({
    startedAt: fc.integer({ min: 1000, max: 1040 }),
    model: fc.constantFrom("m1", "m2"),
    customerId: fc.constantFrom(null, "c1", "c2"),
    chainId: fc.option(fc.integer({ min: 1, max: 30 }).map((at) => `chain-${at}`)),
    cost: fc.bigInt(0n, 20n),
    extra: fc.constantFrom(null, { metadata: { text: "x".repeat(900) } }, { incurred: true as const }),
  })
  .map((drawn) =>
    runRecord(`run-${++named}`, {
      chargedAt: 1050,
      recordedAt: 1050,
      inputTokens: 1,
      outputTokens: 2,
      ...drawn,
    }),
  );
const batch = fc.oneof(
  { weight: 4, arbitrary: fc.array(aRun, { minLength: 1, maxLength: 3 }) },
  { weight: 2, arbitrary: fc.array(aRun, { minLength: 30, maxLength: 150 }) },
);
const batches = fc.array(batch, { minLength: 1, maxLength: 6 });
const count = fc.integer({ min: 1, max: 300 });
const usesWal = fc.constantFrom(true, true, false);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ kind: fc.constant("store" as const), batches, usesWal }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("roll back" as const), batches, usesWal }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom("purge" as const, "purge and roll back" as const), count }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("wake" as const) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom("archive" as const, "archive" as const, "restore" as const),
      cut: fc.constantFrom(null, null, "before put", "after put", "before delete", "after delete"),
    }),
  },
);

const QUERIES: readonly Pick<ListQuery, "sort" | "filters">[] = [true, false].flatMap((descending) =>
  ["started_at", "cost_usd"].flatMap((field) =>
    [{}, { model: "m1", customer_id: "c2" }, { chain_id: "chain-3" }, { from: "1010", to: "1030" }].map(
      (filters) => ({ sort: { field, descending }, filters: filters as Record<string, string> }),
    ),
  ),
);

/** All ids of a list, page by page. */
async function listed(
  sql: SqlStorage,
  query: Pick<ListQuery, "sort" | "filters">,
  limit: number,
): Promise<string[]> {
  const ids: string[] = [];
  let after: ListQuery["after"] = null;
  for (;;) {
    const asked = { ...query, limit, after, scope: "" };
    const { runs, next_cursor } = await fetchingAsNeeded(() =>
      pageOfRuns(sql, asked, { apartOf: () => 0, without: new Set(), keptFrom: 1 }),
    );
    ids.push(...runs.map(({ id }) => id));
    if (next_cursor === null) return ids;
    after = cursorOf(next_cursor);
  }
}

function cursorOf(text: string): { value: string | number; id: string } {
  const [, value, id] = JSON.parse(atob(text.replaceAll("-", "+").replaceAll("_", "/"))) as [
    string,
    string | number,
    string,
  ];
  return { value, id };
}

/** The same from a plain array. */
function expected(
  runs: readonly RunRecord[],
  { sort, filters }: Pick<ListQuery, "sort" | "filters">,
): string[] {
  const { model, customer_id, chain_id, from = "-Infinity", to = "Infinity" } = filters;
  const keyOf = (run: RunRecord) => (sort.field === "cost_usd" ? Number(run.cost) : run.startedAt);
  return runs
    .filter(
      (run) =>
        (model === undefined || run.model === model) &&
        (customer_id === undefined || run.customerId === customer_id) &&
        (chain_id === undefined || run.chainId === chain_id) &&
        run.startedAt >= Number(from) &&
        run.startedAt < Number(to),
    )
    .toSorted((a, b) => {
      const order = keyOf(a) - keyOf(b) || (a.id < b.id ? -1 : 1);
      return sort.descending ? -order : order;
    })
    .map(({ id }) => id);
}

function drop(sql: SqlStorage, wanted: number): number {
  const store = runSegments(sql);
  if (store.firstHeld?.state === "archived") restoreFile(store, store.firstHeld.firstSeq);
  const some = oldestRows(store, Number.POSITIVE_INFINITY).rows.slice(0, wanted);
  deleteOldest(
    store,
    some.map((run) => tombstoneOf(run, store.hashKey)),
  );
  return some.length;
}

function undone(
  storage: DurableObjectStorage,
  run: () => void,
  within: (storage: DurableObjectStorage, run: () => void) => void = transaction,
): void {
  try {
    within(storage, () => {
      run();
      throw new Error("rolled back");
    });
  } catch (error) {
    if (!String(error).includes("rolled back")) throw error;
  }
}

const within = ({ usesWal: isOfLog }: { readonly usesWal: boolean }) =>
  isOfLog ? walTransaction : transaction;

async function play(storage: DurableObjectStorage, one: Step, model: RunRecord[]): Promise<void> {
  const { sql } = storage;
  const store = (all: readonly (readonly RunRecord[])[]) => {
    for (const runs of all) runSegments(sql).append(runs);
  };
  if (one.kind === "store") {
    within(one)(storage, () => store(one.batches));
    model.push(...one.batches.flat());
  }
  if (one.kind === "roll back") {
    await fetchingAsNeeded(() =>
      undone(
        storage,
        () => {
          store(one.batches);
          expect(runSegments(sql).lastSeq).toBeGreaterThan(0);
          // Where rows wait, others can be undone with them.
          if (one.batches.length % 2 === 0) return;
          checkpoint(sql);
          drop(sql, 10);
        },
        within(one),
      ),
    );
  }
  if (one.kind === "purge")
    model.splice(0, await fetchingAsNeeded(() => transaction(storage, () => drop(sql, one.count))));
  if (one.kind === "purge and roll back") {
    await fetchingAsNeeded(() => undone(storage, () => drop(sql, one.count)));
  }
  if (one.kind === "archive") {
    await cutOff(storage, one.cut, async () => {
      while (await archiveFile(contextOf(storage), SMALL_FILES)) continue;
      await deleteGone(contextOf(storage));
    });
  }
  if (one.kind === "restore") {
    const archived = runSegments(sql).ranges.find((range) => range.state === "archived");
    if (archived === undefined) return;
    await fetchingAsNeeded(() =>
      transaction(storage, () => restoreFile(runSegments(sql), archived.firstSeq)),
    );
    await cutOff(storage, one.cut, () => deleteGone(contextOf(storage)));
  }
}

async function expectSame(sql: SqlStorage, model: readonly RunRecord[]): Promise<void> {
  expect(await fetchingAsNeeded(() => allRuns(sql))).toEqual(model);
  const segments = [...runSegments(sql).list.forward(() => true)];
  for (const [at, segment] of segments.entries()) {
    const before = segments[at - 1];
    if (before !== undefined) expect(segment.firstSeq).toBe(before.firstSeq + before.rows);
  }
  for (const query of QUERIES) expect(await listed(sql, query, 200)).toEqual(expected(model, query));
}

/** The archive has exactly the files that the object reads, once its work has ended. */
async function expectNoOrphans(orgId: string, storage: DurableObjectStorage): Promise<void> {
  while (await archiveFile(contextOf(storage), SMALL_FILES)) continue;
  await deleteGone(contextOf(storage));
  const files = storage.sql
    .exec<{ name: string; state: string }>("SELECT name, state FROM run_files ORDER BY name")
    .toArray();
  expect(files.every(({ state }) => state === "made")).toBe(true);
  expect(await filesOf(orgId)).toEqual(files.map(({ name }) => name));
}

test("segments contain what was stored, and lists equal those of a plain array, after any operations", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), async (steps) => {
      const org = await newOrg();
      const stub = env.ORG.getByName(org.id);
      const model: RunRecord[] = [];
      let isCut = false;
      for (const one of steps) {
        // After a cut, the object is down already.
        if (one.kind === "wake" && !isCut) await evict(stub);
        await runInDurableObject(stub, async (_object, { storage }) => {
          await play(storage, one, model);
          const stored = await fetchingAsNeeded(() => allRuns(storage.sql));
          expect(stored.map(({ id }) => id)).toEqual(model.map(({ id }) => id));
        });
        isCut = "cut" in one && one.cut !== null;
        if (isCut) await evict(stub);
      }
      await runInDurableObject(stub, (_object, { storage }) => expectSame(storage.sql, model));
      await evict(stub);
      await runInDurableObject(stub, async (_object, { storage }) => {
        await expectSame(storage.sql, model);
        await expectNoOrphans(org.id, storage);
        await expectSame(storage.sql, model);
      });
    }),
    { numRuns: 12, endOnFailure: true },
  );
});

test("a batch of 1,000 runs is one row, and a hundred single runs are one more", async () => {
  const org = await newSpender();
  const run = { started_at: new Date().toISOString(), model: "acme/m1", cost_usd: "0.01" };
  const usage = { input_tokens: 1, output_tokens: 1 };
  const bulk = (from: number) =>
    org.bulk(Array.from({ length: 1000 }, (_, at) => ({ ...run, usage, id: `b${from + at}` })));
  expect((await bulk(0)).body.accepted).toBe(1000);
  for (let at = 0; at < 100; at += 1)
    expect((await org.run({ ...run, usage, id: `a${at}` })).status).toBe(201);
  const rows = await rowsOf<{ runs: number }>(org.id, "SELECT runs FROM run_blocks ORDER BY first_seq");
  expect(rows.map(({ runs }) => runs)).toEqual([1000, 100]);
  expect((await bulk(1000)).body.accepted).toBe(1000);
  expect((await org.run({ ...run, usage, id: "a5" })).status).toBe(200);
  expect((await call("GET", "/v1/runs/b700", { key: org.key })).body.id).toBe("b700");
});

test("a damaged segment is an error, and no other run is shown instead", async () => {
  const org = await newSpender();
  await org.run({ id: "one" });
  await rowsOf(org.id, "UPDATE run_blocks SET data = substr(data, 1, length(data) - 1)");
  await evict(env.ORG.getByName(org.id));
  expect((await call("GET", "/v1/runs/one", { key: org.key })).status).toBe(500);
});

test("what a filter said of a segment that was rolled back is not said of the next one", async () => {
  const { id } = await newOrg();
  await runInDurableObject(env.ORG.getByName(id), async (_object, { storage }) => {
    const runsOf = (customerId: string) =>
      Array.from({ length: 600 }, (_, at) => runRecord(`${customerId}-${at}`, { customerId }));
    const query = { sort: { field: "started_at", descending: true }, filters: { customer_id: "c2" } };
    const page = { ...query, limit: 700, after: null, scope: "" };
    const found = () => pageOfRuns(storage.sql, page, { apartOf: () => 0, without: new Set() }).runs.length;
    await fetchingAsNeeded(() =>
      undone(storage, () => {
        runSegments(storage.sql).append(runsOf("c1"));
        expect(found()).toBe(0);
      }),
    );
    transaction(storage, () => runSegments(storage.sql).append(runsOf("c2")));
    expect(found()).toBe(600);
  });
});

test("a made-up cursor is not an error", async () => {
  const org = await newSpender();
  await org.run({ id: "one" });
  for (const sort of ["cost_usd", "-cost_usd", "started_at", "-started_at"]) {
    const page = await call("GET", `/v1/runs?sort=${sort}&limit=1`, { key: org.key });
    expect(page.status).toBe(200);
    const query = {
      sort: { field: sort.replace("-", ""), descending: sort.startsWith("-") },
      limit: 1,
      filters: {},
      after: null,
      scope: "",
    };
    const cursor = encodeCursor(query, { value: "nonsense", id: "x" });
    const { status } = await call("GET", `/v1/runs?sort=${sort}&cursor=${cursor}`, { key: org.key });
    expect([200, 422]).toContain(status);
  }
});
