import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { type RefusalBatch, writeBatch } from "../../../src/domain/refusal/batch.ts";
import { hourOf } from "../../../src/domain/refusal/sums.ts";
import { readReply, writeAsk } from "../../../src/gate/lease/wire.ts";
import { transaction } from "../../../src/storage/transaction.ts";
import { keepRefusals, sweepRefusals } from "../../../src/org/refusals/commands.ts";
import { findRefusals } from "../../../src/org/refusals/find.ts";
import { aNote } from "../../support/refusals.ts";
import { newSpender, type Spender } from "../../support/ledger.ts";
import { rowsOf } from "../../support/rows.ts";
import { env } from "../../support/worker.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const START = Date.parse("2026-11-01T10:00:00Z");

/** Several changes to what is stored, each in its own transaction. */
function inObject<T>(org: Spender, use: (keep: Keeping) => T): Promise<T> {
  return runInDurableObject(env.ORG.getByName(org.id), (_object, { storage }) =>
    use({
      keep: (now, batch) => transaction(storage, () => keepRefusals({ sql: storage.sql, now }, batch)),
      sweep: (now) => transaction(storage, () => sweepRefusals({ sql: storage.sql, now })),
      sql: storage.sql,
    }),
  );
}

interface Keeping {
  readonly keep: (now: number, batch: RefusalBatch) => void;
  readonly sweep: (now: number) => boolean;
  readonly sql: SqlStorage;
}

function notesAt(at: number, count: number, trace = "t") {
  return { notes: Array.from({ length: count }, () => aNote({ at, trace })), more: [] };
}

async function counted(
  org: Spender,
  query: string,
): Promise<{ count: number; data: { hour: string; count: number }[] }> {
  return (await org.send("GET", `refusals/summary${query}`)).body as never;
}

async function notes(org: Spender): Promise<number> {
  const [row] = await rowsOf<{ notes: number }>(org.id, "SELECT TOTAL(notes) AS notes FROM refusal_batches");
  return row?.notes ?? 0;
}

test("a report that arrives twice is stored once, even if the object restarted in between", async () => {
  const org = await newSpender();
  const object = () => env.ORG.getByName(org.id);
  const report = (attempt: number, number: number, trace: string) =>
    writeAsk({
      ask: { holder: "isolate", attempt, batches: [], wants: new Map() },
      touches: [],
      watch: [],
      lagMs: 0,
      heard: null,
      refusals: { number, batch: writeBatch(notesAt(Date.now(), 3, trace)) },
    });
  const first = await object().syncLeases(report(1, 1, "a"));
  expect(readReply(first ?? "").refusals).toBe(1);
  expect(await object().syncLeases(report(1, 1, "a"))).toBeNull();
  expect(readReply((await object().syncLeases(report(2, 1, "a"))) ?? "").refusals).toBe(1);
  await runInDurableObject(object(), (_object, { storage }) => {
    // As after a restart: memory is lost.
    try {
      transaction(storage, () => {
        throw new Error("forget");
      });
    } catch {
      // Only the copies matter.
    }
  });
  await object().syncLeases(report(3, 1, "a"));
  expect((await counted(org, "")).count).toBe(3);
  await object().syncLeases(report(4, 2, "b"));
  expect((await counted(org, "")).count).toBe(6);
});

test("refusals of several hours, late ones and those of a clock that is ahead are counted in their hours", async () => {
  const org = await newSpender();
  await inObject(org, ({ keep }) => {
    for (let sent = 0; sent < 70; sent += 1) keep(START + sent, notesAt(START + sent, 1));
    const more = [{ ...aNote(), hour: hourOf(START), count: 100, nanos: 7n }];
    keep(START + HOUR_MS, { notes: [aNote({ at: START }), aNote({ at: START + HOUR_MS })], more });
    // Long after its hour was folded.
    keep(START + 2 * HOUR_MS, notesAt(START + 5, 2));
    keep(START + 2 * HOUR_MS, notesAt(START + 9 * HOUR_MS, 4));
  });
  const { data, count } = await counted(org, "?from=2026-11-01&to=2026-11-02");
  expect(count).toBe(178);
  expect(data.map((line) => [line.hour.slice(11, 13), line.count])).toEqual([
    ["12", 4],
    ["11", 1],
    ["10", 173],
  ]);
});

test("rows that overlap in time are listed newest first, in pages without repeats or gaps", async () => {
  const org = await newSpender();
  const found = await inObject(org, ({ keep, sql }) => {
    for (let isolate = 0; isolate < 4; isolate += 1) {
      const own = Array.from({ length: 50 }, (_, n) =>
        aNote({ at: START + n * 10 + isolate, trace: `${isolate}-${n}` }),
      );
      keep(START + HOUR_MS - 1, { notes: own, more: [] });
    }
    const seen: { at: number; trace: string }[] = [];
    let after: { at: number; id: string } | null = null;
    do {
      const page = findRefusals(sql, { filters: {}, from: 0, to: Number.MAX_SAFE_INTEGER, after, limit: 7 });
      seen.push(...page.refusals);
      after = page.next;
    } while (after !== null);
    return seen.map(({ at, trace }) => ({ at, trace }));
  });
  expect(found).toHaveLength(200);
  expect(new Set(found.map(({ trace }) => trace)).size).toBe(200);
  expect(found.map(({ at }) => at)).toEqual(found.map(({ at }) => at).toSorted((a, b) => b - a));
});

test("a page scans a bounded number of refusals and says where to continue", async () => {
  const org = await newSpender();
  const pages = await inObject(org, ({ keep, sql }) => {
    keep(START, { notes: [aNote({ at: START, trace: "rare", customerId: "x" })], more: [] });
    for (let n = 1; n <= 25; n += 1) {
      const own = Array.from({ length: 1000 }, (_, i) =>
        aNote({ at: START + n, customerId: i === 0 ? "x" : "y", trace: `${n}` }),
      );
      keep(START + n, { notes: own, more: [] });
    }
    const seen: string[] = [];
    let after: { at: number; id: string } | null = null;
    let read = 0;
    do {
      const page = findRefusals(sql, {
        filters: { customerId: "x" },
        from: 0,
        to: Number.MAX_SAFE_INTEGER,
        after,
        limit: 50,
      });
      seen.push(...page.refusals.map(({ trace }) => trace));
      after = page.next;
      read += 1;
    } while (after !== null);
    return { seen, read };
  });
  expect(pages.read).toBeGreaterThan(1);
  expect(pages.seen).toHaveLength(26);
  expect(new Set(pages.seen).size).toBe(26);
});

test("refusals of 7 days and the last 10,000 are kept; the sums stay exact when older ones are deleted", async () => {
  const org = await newSpender();
  await inObject(org, ({ keep, sweep }) => {
    for (let sent = 0; sent < 30; sent += 1) keep(START + sent, notesAt(START + sent, 500));
    sweep(START + 6 * DAY_MS);
  });
  expect(await notes(org)).toBe(15_000);
  await inObject(org, ({ keep, sweep }) => {
    keep(START + 8 * DAY_MS, notesAt(START + 8 * DAY_MS, 1));
    sweep(START + 8 * DAY_MS);
  });
  // 15,001, of which 10,000 must stay although they are old. Rows are deleted whole.
  expect(await notes(org)).toBe(10_001);
  expect((await counted(org, "?from=2026-11-01&to=2026-11-20")).count).toBe(15_001);
  await inObject(org, ({ keep, sweep }) => {
    for (let sent = 0; sent < 25; sent += 1)
      keep(START + 8 * DAY_MS + sent, notesAt(START + 8 * DAY_MS + sent, 500));
    sweep(START + 8 * DAY_MS + 100);
  });
  expect(await notes(org)).toBe(12_501);
  expect((await counted(org, "?from=2026-11-01&to=2026-11-20")).count).toBe(27_501);
});

test("refusals and their sums are deleted after 90 days, even if no more arrive", async () => {
  const org = await newSpender();
  await inObject(org, ({ keep, sweep }) => {
    keep(START, notesAt(START, 5));
    sweep(START + 30 * DAY_MS);
  });
  expect(await notes(org)).toBe(5);
  await inObject(org, ({ sweep }) => sweep(START + 91 * DAY_MS));
  expect(await notes(org)).toBe(0);
  expect(await rowsOf(org.id, "SELECT 1 FROM refusal_hours")).toHaveLength(0);
});

test("storage is bounded: above 200,000 the oldest are deleted", async () => {
  const org = await newSpender();
  await inObject(org, ({ keep }) => {
    const own = notesAt(START, 2000).notes;
    for (let sent = 0; sent < 110; sent += 1) {
      keep(START + sent, { notes: own.map((note) => ({ ...note, at: START + sent })), more: [] });
    }
  });
  const left = await notes(org);
  expect(left).toBeLessThanOrEqual(200_000);
  expect(left).toBeGreaterThan(190_000);
  expect((await counted(org, "?from=2026-11-01&to=2026-11-02")).count).toBe(220_000);
});

test("customers above the bound of an hour are counted together, and totals stay exact", async () => {
  const org = await newSpender();
  await inObject(org, ({ keep }) => {
    for (let sent = 0; sent < 12; sent += 1) {
      const own = Array.from({ length: 1000 }, (_, n) => aNote({ at: START, customerId: `c${sent}-${n}` }));
      keep(START + sent, { notes: own, more: [] });
    }
  });
  expect((await counted(org, "?from=2026-11-01&to=2026-11-02&group_by=limit")).data).toMatchObject([
    { count: 12_000 },
  ]);
});
