import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { allowed, type Answer, atEdge, Isolates, MOST_ROUNDS, type Org } from "../../support/isolates.ts";

const RUNS = 3;
/** Calls after which every isolate has slices. */
const WARM = 120;
let isolates: Isolates;

/** Clocks that are hours apart. */
beforeAll(async () => {
  isolates = await Isolates.start();
  const apart = [0, 3_600_000, -7_200_000, 45_000];
  for (const [isolate, ms] of apart.entries()) await isolates.make(isolate, "apart-ms", ms);
});

afterAll(() => isolates.end());

const usd = (cents: number) => (cents / 100).toFixed(2);

function notRunning(error: Error): void {
  if (!error.message.includes("not currently running")) throw error;
}

type Event = "evict" | "raise" | "lower" | "day" | "week" | "none";

/** One event for a budget while calls are running. Returns the limit that applies from then on. */
async function happen(event: Event, org: Org, id: string, cents: number): Promise<number> {
  if (event === "evict") await isolates.server.evict(org.id).catch(notRunning);
  if (event === "day" || event === "week") await isolates.changeBudget(org, id, { period: event }, 2);
  if (event !== "raise" && event !== "lower") return cents;
  const limit = event === "raise" ? cents + 25 : Math.ceil(cents * 0.9);
  await isolates.changeBudget(org, id, { limit_usd: usd(limit) }, 1);
  return limit;
}

test("four isolates never hold a nano-dollar over a limit, with evictions and limits changed in flight", async () => {
  const events = fc.constantFrom<Event[]>("evict", "raise", "lower", "day", "week", "none");
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 40, max: 260 }),
      fc.array(events, { minLength: 2, maxLength: 4 }),
      async (cents, script) => {
        const org = await isolates.newOrg();
        const id = await isolates.budget(org, usd(cents));
        let limit = cents;
        let admitted = 0;
        for (const event of script) {
          const [answers, next] = await Promise.all([
            isolates.drive(org, 130),
            happen(event, org, id, limit),
          ]);
          expect(answers.every(({ status }) => [200, 402, 503].includes(status))).toBe(true);
          const before = admitted;
          admitted += allowed(answers).length;
          // A limit that is lowered below what was given admits nothing more.
          expect(admitted).toBeLessThanOrEqual(Math.max(limit, next, before));
          limit = next;
        }
        await isolates.reserves(org, id, usd(admitted));
        const left = Math.max(0, limit - admitted);
        // A hold time so long that the object decides, with current data.
        const rest = await isolates.drive(org, left + 5, 4, () => ({ hold_seconds: 3600 }));
        expect(allowed(rest)).toHaveLength(left);
      },
    ),
    { numRuns: RUNS },
  );
});

test("at least 99 % of allows far from a limit are decided in the isolates, and each hold is stored once", async () => {
  const org = await isolates.newOrg();
  const id = await isolates.budget(org, "100000");
  const warmUp = 300;
  const shares: number[] = [];
  const calls = 500;
  await isolates.whileNothingExpires(async () => {
    await isolates.drive(org, warmUp, 16, (n) => ({ request_id: `warm-${n}` }));
    // A report that is late on a busy machine spoils one round, not every round.
    while (shares.length < MOST_ROUNDS && !shares.some((share) => share >= 0.99)) {
      const round = shares.length;
      const answers = await isolates.drive(org, calls, 16, (n) => ({ request_id: `req-${round}-${n}` }));
      expect(allowed(answers)).toHaveLength(calls);
      shares.push(atEdge(answers).length / answers.length);
    }
  });
  expect(Math.max(...shares)).toBeGreaterThanOrEqual(0.99);
  await isolates.reserves(org, id, usd(warmUp + shares.length * calls));
});

test("one request asked in every isolate holds once, under one name", async () => {
  const org = await isolates.newOrg();
  const id = await isolates.budget(org, "100000");
  await isolates.drive(org, WARM);
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, isolate) => isolates.decide(org, isolate, { request_id: "the-one" })),
  );
  expect(new Set(answers.map(({ body }) => body.reservation.id)).size).toBe(1);
  expect(new Set(answers.map(({ body }) => body.decision_id)).size).toBe(1);
  await isolates.reserves(org, id, usd(WARM + 1));
});

test("a request whose hold was released is decided again where it was decided before: nothing is allowed without a hold", async () => {
  const org = await isolates.newOrg();
  const id = await isolates.budget(org, "100000");
  await isolates.drive(org, WARM);
  const first = await isolates.decide(org, 1, { request_id: "again" });
  const again = await isolates.decide(org, 1, { request_id: "again" });
  expect(again.body).toEqual(first.body);
  const path = `/v1/edge/decision/${first.body.reservation.id}`;
  expect((await isolates.call(2, "DELETE", path, org.key)).status).toBe(204);
  await isolates.reserves(org, id, usd(WARM));
  expect((await isolates.decide(org, 1, { request_id: "again" })).status).toBe(200);
  await isolates.reserves(org, id, usd(WARM + 1));
});

test("one request id with another fingerprint is refused where it is known, and holds both where it is not", async () => {
  const org = await isolates.newOrg();
  const id = await isolates.budget(org, "100000");
  await isolates.drive(org, WARM);
  const ask = (isolate: number, cost: string) =>
    isolates.decide(org, isolate, { request_id: "twice", estimate: { cost_usd: cost } });
  expect((await ask(1, "0.01")).status).toBe(200);
  expect((await ask(1, "0.02")).status).toBe(409);
  const elsewhere = await ask(2, "0.02");
  await isolates.reserves(org, id, usd(WARM + (elsewhere.status === 200 ? 3 : 1)));
  // What was allowed there has its own reservation and gets the same answer everywhere; nothing else does.
  const there = await ask(1, "0.02");
  expect([there.status, there.body.reservation]).toEqual([elsewhere.status, elsewhere.body.reservation]);
  const third = { request_id: "twice", estimate: { cost_usd: "0.03" }, hold_seconds: 3600 };
  expect((await isolates.decide(org, 3, third)).status).toBe(409);
  const again = await Promise.all([ask(1, "0.01"), ask(1, "0.01")]);
  expect(again.map(({ status }) => status)).toEqual([200, 200]);
  await isolates.reserves(org, id, usd(WARM + (elsewhere.status === 200 ? 3 : 1)));
});

test("another fingerprint is a conflict in every busy isolate, one report after the first was answered", async () => {
  const org = await isolates.newOrg();
  await isolates.budget(org, "100000");
  await isolates.drive(org, WARM);
  let requests = 0;
  /** Sends a new request, then another fingerprint with its id a while later, during traffic. */
  const askTwice = async (): Promise<number[]> => {
    requests += 1;
    const ask = (isolate: number, cost: string) =>
      isolates.decide(org, isolate, { request_id: `once-${requests}`, estimate: { cost_usd: cost } });
    expect((await ask(1, "0.01")).status).toBe(200);
    const until = performance.now() + 1500;
    let answers: Answer[] = [];
    while (performance.now() < until || atEdge(answers).length <= 90)
      answers = await isolates.drive(org, 100);
    return (await Promise.all([0, 1, 2, 3].map((isolate) => ask(isolate, "0.02")))).map(
      ({ status }) => status,
    );
  };
  // That is long enough for a report unless the machine is busy; then there is a next request.
  await expect.poll(askTwice).toEqual([409, 409, 409, 409]);
});

test("isolates refuse by a limit themselves, and by a lowered one as soon as the change returns", async () => {
  const org = await isolates.newOrg();
  const id = await isolates.budget(org, "100000");
  await isolates.drive(org, WARM);
  await isolates.changeBudget(org, id, { limit_usd: "0.50" });
  const answers = await isolates.driveToEdge(org, 80);
  expect(allowed(answers)).toHaveLength(0);
  expect(answers.every(({ body: { error } }) => error.code === "budget_exceeded")).toBe(true);
  expect(atEdge(answers).length).toBeGreaterThan(0);
});

test("a revoked key is refused in every isolate once the revocation returns", async () => {
  const org = await isolates.newOrg();
  const key = { name: "x", role: "developer" };
  const minted = await isolates.call(0, "POST", `/v1/orgs/${org.id}/keys`, org.key, key);
  const other = { id: org.id, key: minted.body.key as string };
  await isolates.drive(other, 60);
  await isolates.call(2, "DELETE", `/v1/orgs/${org.id}/keys/${minted.body.id}`, org.key);
  const answers = await isolates.drive(other, 12);
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: answers.length }, () => 410));
});

test("no minute admits more requests over all isolates than a rate limit allows", async () => {
  const org = await isolates.newOrg();
  const match = { route: "POST /v1/edge/decision" };
  const policy = { name: "all", match, unit: "requests", limit: 150, window_seconds: 3600, kind: "rate" };
  await isolates.limitRates(org, [policy]);
  const answers = await isolates.drive(org, 400);
  expect(allowed(answers).length).toBeLessThanOrEqual(150);
  const refused = answers.filter(({ status }) => status === 429);
  expect(allowed(answers).length + refused.length).toBe(400);
  expect(
    refused.every(
      ({ headers, body: { error } }) =>
        headers.get("retry-after") === String(error.details.retry_after_seconds),
    ),
  ).toBe(true);
});

test("no interval of a sliding window's length admits more than its limit, across window boundaries", async () => {
  const org = await isolates.newOrg();
  const match = { route: "POST /v1/edge/decision" };
  const policy = { name: "two", match, unit: "requests", limit: 30, window_seconds: 2, kind: "rate" };
  await isolates.limitRates(org, [policy]);
  const given: Answer[] = [];
  // More than three windows, so that old ones have passed in between.
  while (given.length < 100) given.push(...allowed(await isolates.drive(org, 60)));
  for (const { sentAt } of given) {
    const surelyInside = given.filter((one) => one.sentAt >= sentAt && one.receivedAt < sentAt + 2000);
    expect(surelyInside.length).toBeLessThanOrEqual(30);
  }
});

test("a run settles a hold that its isolate has not reported yet", async () => {
  const org = await isolates.newOrg();
  const id = await isolates.budget(org, "100000");
  await isolates.drive(org, WARM);
  const decision = await isolates.decide(org, 1);
  const run = {
    started_at: new Date().toISOString(),
    model: "m",
    usage: { input_tokens: 1, output_tokens: 1 },
    cost_usd: "0.004",
    reservation_id: decision.body.reservation.id,
  };
  const recorded = await isolates.call(2, "POST", "/v1/runs", org.key, run);
  expect(recorded.status).toBe(201);
  await isolates.reserves(org, id, usd(WARM));
});
