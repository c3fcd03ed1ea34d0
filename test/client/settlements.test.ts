import { expect, onTestFinished, test, vi } from "vitest";
import { Settlements } from "../../src/client/gate/settlements.ts";
import { Sluice } from "../../src/client/index.ts";

const KEY = `svc_live_01J0000000000000000000000001J0000000000000000000000A_${"s".repeat(49)}`;
const RUN = {
  model: "acme/m1",
  usage: { input_tokens: 1, output_tokens: 1 },
  started_at: "2026-01-01T00:00:00Z",
};

const MOST_QUEUED = 10_000;
const DAY_MS = 24 * 3_600_000;

/** Runs on their way to a service that hears of each bulk before it answers. */
function settlementsTo(
  hear: (bulk: number) => Promise<void> | void = () => undefined,
  answer: (ids: readonly string[]) => Response = (ids) =>
    Response.json({ results: ids.map((_id, index) => ({ index, status: "accepted" })) }),
) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const bulks: string[][] = [];
  let last: object[] = [];
  const reportedBefore: number[] = [];
  const lost: (string | undefined)[] = [];
  const reasons: string[] = [];
  let [reports, ended] = [0, 0];
  const sluice = new Sluice({
    key: KEY,
    url: "https://sluice.test",
    fetch: async (_, { body }) => {
      const { runs } = JSON.parse(body as string) as { runs: { id: string }[] };
      bulks.push(runs.map(({ id }) => id));
      last = runs;
      reportedBefore.push(reports);
      await hear(bulks.length);
      return answer(runs.map(({ id }) => id));
    },
  });
  const settlements = new Settlements(sluice, {
    flushMs: 1000,
    mostQueued: MOST_QUEUED,
    onError: (_error, { id }) => void lost.push(id),
    dropped: (reason) => void reasons.push(reason),
    before: async () => void (reports += 1),
    after: async () => void (ended += 1),
  });
  const background: Promise<unknown>[] = [];
  const waitUntil = (work: Promise<unknown>) => void background.push(work);
  return {
    settlements,
    bulks,
    lastRuns: () => last,
    reportedBefore,
    lost,
    reasons,
    background,
    timesEnded: () => ended,
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

test("a run goes soon after a pause, and with others while many come", async () => {
  const told = settlementsTo();
  for (const afterMs of [0, 300, 300, 300, 300, 5000]) {
    await vi.advanceTimersByTimeAsync(afterMs);
    told.add("run");
  }
  await vi.advanceTimersByTimeAsync(200);
  expect(told.bulks.map((runs) => runs.length)).toEqual([1, 3, 1, 1]);
  vi.setSystemTime(Date.now() - 3_600_000);
  told.add("run");
  await vi.advanceTimersByTimeAsync(1000);
  expect(told.bulks).toHaveLength(5);
});

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

test("in a Worker, requests wait for the next try of a bulk without an answer, and for no more", async () => {
  let isAway = true;
  const told = settlementsTo(() => {
    if (isAway) throw new TypeError("fetch failed");
  });
  told.addInWorker("first");
  await vi.advanceTimersByTimeAsync(20_000);
  expect(told.bulks.length).toBe(12);
  expect(told.background.length).toBe(5);
  isAway = false;
  await vi.advanceTimersByTimeAsync(20_000);
  await Promise.all(told.background);
  expect(told.bulks.at(-1)).toEqual(["first"]);
  expect(told.settlements).toMatchObject({ queued: 0, sent: 1 });
  expect([told.timesEnded(), vi.getTimerCount()]).toEqual([5, 0]);
});

test("a run that comes of a bulk's answer is sent by the request that sent the bulk", async () => {
  const told = settlementsTo((bulk) => {
    if (bulk === 1) told.add("again");
  });
  told.addInWorker("first");
  await vi.advanceTimersByTimeAsync(1000);
  expect(told.background).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(1000);
  await Promise.all(told.background);
  expect(told.bulks).toEqual([["first"], ["again"]]);
});

test("many calls that end one after another in a Worker make few bulks", async () => {
  const told = settlementsTo();
  for (let run = 0; run < 30; run += 1) {
    told.addInWorker(String(run));
    await vi.advanceTimersByTimeAsync(30);
  }
  await vi.advanceTimersByTimeAsync(1000);
  expect(told.bulks.map((runs) => runs.length)).toEqual([7, 23]);
  expect(told.background).toHaveLength(2);
});

/** The clock goes on and timers wait as long as before, so that thousands of attempts need not be made. */
const laterBy = (ms: number) => void vi.setSystemTime(Date.now() + ms);

const refusedWith = (status: number, code: string) =>
  Response.json({ error: { code, message: "no", details: {} } }, { status });

test.each([
  [503, "service_unavailable"],
  [429, "rate_limited"],
  [410, "gone"],
  [401, "unauthorized"],
  [403, "missing_scope"],
])(
  "a bulk that is answered with %i %s goes again for days, and no run of it is dropped",
  async (status, code) => {
    let isAway = true;
    const told = settlementsTo(undefined, (ids) =>
      isAway
        ? refusedWith(status, code)
        : Response.json({ results: ids.map((_id, index) => ({ index, status: "accepted" })) }),
    );
    told.add("first");
    await vi.advanceTimersByTimeAsync(5 * 60_000);
    laterBy(6 * DAY_MS);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(told.settlements).toMatchObject({ queued: 1, sent: 0, rejected: 0 });
    isAway = false;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(told.settlements).toMatchObject({ queued: 0, sent: 1, rejected: 0 });
    expect([told.lost, told.reasons]).toEqual([[], []]);
  },
);

test("a run that is refused for a reason that may pass goes again, without those beside it", async () => {
  let tries = 0;
  const told = settlementsTo(undefined, (ids) => {
    tries += 1;
    const results = ids.map((id, index) =>
      id === "late" && tries < 3
        ? {
            index,
            id,
            status: "rejected",
            error: { code: "service_unavailable", message: "no", details: {} },
          }
        : { index, id, status: "accepted" },
    );
    return Response.json({ results });
  });
  for (const id of ["a", "late", "b"]) told.add(id);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(told.bulks).toEqual([["a", "late", "b"], ["late"], ["late"]]);
  expect(told.settlements).toMatchObject({ queued: 0, sent: 3, rejected: 0 });
  expect(told.lost).toEqual([]);
});

test("a run whose tier has no price goes again at what was reserved, with its id and tier, once", async () => {
  const fields = [{ field: "variant", code: "no_price", message: "is not a variant of this model's price" }];
  const error = { code: "validation_failed", message: "no", details: { fields } };
  const told = settlementsTo(undefined, (ids) =>
    Response.json({ results: ids.map((id, index) => ({ index, id, status: "rejected", error })) }),
  );
  told.settlements.add({ ...RUN, id: "priority", variant: "priority" }, undefined, "0.75");
  told.settlements.add({ ...RUN, id: "unreserved", variant: "priority" }, undefined);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(told.bulks).toEqual([["priority", "unreserved"], ["priority"]]);
  const again = { ...RUN, id: "priority", variant: "priority", cost_usd: "0.75", estimated: true };
  expect(told.lastRuns()).toEqual([again]);
  expect(told.lost).toEqual(["unreserved", "priority"]);
});

test("a run that the service rejects is dropped, told and counted, alone or among others", async () => {
  const told = settlementsTo(undefined, (ids) => {
    if (ids.includes("bad")) return refusedWith(422, "validation_failed");
    const results = ids.map((id, index) =>
      id === "taken"
        ? { index, id, status: "rejected", error: { code: "conflict", message: "no", details: {} } }
        : { index, id, status: "accepted" },
    );
    return Response.json({ results });
  });
  for (const id of ["a", "bad", "b", "taken"]) told.add(id);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(told.settlements).toMatchObject({ queued: 0, sent: 2, rejected: 2 });
  expect(new Set(told.lost)).toEqual(new Set(["bad", "taken"]));
  expect(told.reasons).toEqual(["rejected", "rejected"]);
});

test("what there is no memory for is dropped, told and counted", () => {
  const told = settlementsTo(() => {
    throw new TypeError("fetch failed");
  });
  for (let run = 0; run < 2 * MOST_QUEUED + 3; run += 1) told.add(String(run));
  expect(told.settlements).toMatchObject({ queued: 2 * MOST_QUEUED, rejected: 3, isFull: true });
  expect(told.reasons).toEqual(["overflow", "overflow", "overflow"]);
  expect(told.lost).toEqual(["20000", "20001", "20002"]);
});

test("a run that cannot be sent for 7 days is dropped, told and counted, and later ones are not", async () => {
  const told = settlementsTo(undefined, () => refusedWith(410, "gone"));
  told.add("old");
  laterBy(6 * DAY_MS);
  told.add("young");
  laterBy(DAY_MS);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(told.settlements).toMatchObject({ queued: 1, rejected: 1 });
  expect([told.lost, told.reasons]).toEqual([["old"], ["expired"]]);
});
