import { expect, onTestFinished, test, vi } from "vitest";
import { Settlements } from "../../src/client/gate/settlements.ts";
import { Sluice } from "../../src/client/index.ts";

const KEY = `svc_live_01J0000000000000000000000001J0000000000000000000000A_${"s".repeat(49)}`;
const RUN = {
  model: "acme/m1",
  usage: { input_tokens: 1, output_tokens: 1 },
  started_at: "2026-01-01T00:00:00Z",
};

/** Runs on their way to a service that hears of each bulk before it answers. */
function settlementsTo(hear: (bulk: number) => Promise<void> | void = () => undefined) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const bulks: string[][] = [];
  const reportedBefore: number[] = [];
  let reports = 0;
  const sluice = new Sluice({
    key: KEY,
    url: "https://sluice.test",
    fetch: async (_, { body }) => {
      const { runs } = JSON.parse(body as string) as { runs: { id: string }[] };
      bulks.push(runs.map(({ id }) => id));
      reportedBefore.push(reports);
      await hear(bulks.length);
      return Response.json({ results: runs.map((_run, index) => ({ index, status: "recorded" })) });
    },
  });
  const settlements = new Settlements(sluice, {
    flushMs: 1000,
    mostQueued: 10_000,
    onError: () => undefined,
    before: async () => void (reports += 1),
  });
  const background: Promise<unknown>[] = [];
  const waitUntil = (work: Promise<unknown>) => void background.push(work);
  return {
    settlements,
    bulks,
    reportedBefore,
    add: (id: string) => settlements.add({ ...RUN, id }, undefined),
    addInWorker: (id: string) => settlements.add({ ...RUN, id }, waitUntil),
  };
}

test.each(["add", "addInWorker"] as const)(
  "runs that come while a bulk is on its way go with the next, together (%s)",
  async (how) => {
    const told = settlementsTo((bulk) => {
      if (bulk > 3) return;
      for (let run = 0; run < 10; run += 1) told[how](`${bulk}.${run}`);
    });
    told[how]("0.0");
    await vi.advanceTimersByTimeAsync(1000);
    expect(told.bulks.map((runs) => runs.length)).toEqual([1]);
    expect(told.settlements.queued).toBe(10);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(told.bulks.map((runs) => runs.length)).toEqual([1, 10, 10, 10]);
    expect(new Set(told.bulks.flat()).size).toBe(31);
    expect(told.settlements).toMatchObject({ queued: 0, sent: 31, rejected: 0 });
    expect(told.reportedBefore).toEqual([1, 2, 3, 4]);
  },
);

test("a flush while a bulk is on its way sends what had come by then", async () => {
  const { promise: answered, resolve } = Promise.withResolvers<void>();
  const told = settlementsTo((bulk) => (bulk === 1 ? answered : undefined));
  told.add("first");
  const first = told.settlements.flush();
  await vi.advanceTimersByTimeAsync(0);
  told.add("second");
  const second = told.settlements.flush();
  resolve();
  await Promise.all([first, second]);
  expect(told.bulks).toEqual([["first"], ["second"]]);
});

test("what waits goes in bulks of 500, at once when there are so many", async () => {
  const told = settlementsTo();
  for (let run = 0; run < 1200; run += 1) told.addInWorker(String(run));
  await vi.advanceTimersByTimeAsync(0);
  expect(told.bulks.map((runs) => runs.length)).toEqual([500]);
  await vi.advanceTimersByTimeAsync(3000);
  expect(told.bulks.flat()).toHaveLength(1200);
  expect(told.bulks.every((runs) => runs.length <= 500)).toBe(true);
});

test("a bulk without an answer goes again, later each time, with what came since", async () => {
  let isAway = true;
  const told = settlementsTo(() => {
    if (isAway) throw new TypeError("fetch failed");
  });
  told.add("first");
  await vi.advanceTimersByTimeAsync(20_000);
  // Four times, each with the two retries of the client.
  expect(told.bulks.length).toBe(12);
  told.add("second");
  isAway = false;
  await vi.advanceTimersByTimeAsync(120_000);
  expect(told.bulks.at(-1)).toEqual(["first", "second"]);
  expect(told.settlements).toMatchObject({ queued: 0, sent: 2 });
});
