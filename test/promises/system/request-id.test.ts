import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { allowed, type Answer, atEdge, Isolates, MOST_ROUNDS, type Org } from "../../support/isolates.ts";

/** One request id in several real isolates: everything admitted is held, and no limit is exceeded. */

const ALL = [0, 1, 2, 3];
let isolates: Isolates;

beforeAll(async () => {
  isolates = await Isolates.start();
});
afterAll(() => isolates.end());

const ask = (org: Org, isolate: number, request: string, cost: string) =>
  isolates.decide(org, isolate, { request_id: request, estimate: { cost_usd: cost } });

/** After this, every isolate has slices. */
function warm(org: Org, cost = "0.001"): Promise<Answer[]> {
  return isolates.drive(org, 120, 16, () => ({ estimate: { cost_usd: cost } }));
}

function run(org: Org, isolate: number, reservation: string, cost: string): Promise<Answer> {
  return isolates.call(isolate, "POST", "/v1/runs", org.key, {
    started_at: new Date().toISOString(),
    model: "m",
    usage: { input_tokens: 1, output_tokens: 1 },
    cost_usd: cost,
    reservation_id: reservation,
  });
}

test("no request id admits $900 on a budget of $1: in no isolate, before or after a report, or after a restart", async () => {
  const org = await isolates.newOrg();
  const id = await isolates.budget(org, "1");
  const requests = Array.from({ length: 12 }, (_, index) => `req-${index}`);
  const given: string[] = [];
  let small = 0;
  let decidedAtEdge = 0;
  for (let round = 0; round < 3 || (decidedAtEdge === 0 && round < MOST_ROUNDS); round += 1) {
    small += allowed(await warm(org)).length;
    const answers = await Promise.all(
      requests.map((request, index) => ask(org, index, `${request}-${round}`, "0.001")),
    );
    const allows = allowed(answers);
    decidedAtEdge += atEdge(allows).length;
    small += allows.length;
    for (const [index, { status }] of answers.entries()) {
      if (status === 200) given.push(`${requests[index] ?? ""}-${round}`);
    }
    if (round === 1) await isolates.server.evict(org.id).catch(() => undefined);
    for (const isolate of ALL) {
      for (const request of requests) {
        const { status } = await ask(org, isolate, `${request}-${round}`, "900");
        expect([402, 409]).toContain(status);
      }
    }
  }
  expect(decidedAtEdge).toBeGreaterThan(0);
  await isolates.reserves(org, id, (small / 1000).toFixed(3).replace(/0$/, ""));
  // The object knows them all by now, so any other fingerprint is a conflict, whatever it costs.
  for (const isEvicted of [false, true]) {
    if (isEvicted) await isolates.server.evict(org.id).catch(() => undefined);
    for (const isolate of ALL) {
      for (const cost of ["0.002", "900"]) {
        const other = { request_id: given[0] ?? "", estimate: { cost_usd: cost }, hold_seconds: 3600 };
        expect((await isolates.decide(org, isolate, other)).status).toBe(409);
      }
    }
  }
  expect(Number((await isolates.readBudget(org, id)).reserved_usd)).toBeLessThanOrEqual(1);
});

test("two fingerprints that two isolates allowed with one request id are two reservations, both held and both settled", async () => {
  const org = await isolates.newOrg();
  const id = await isolates.budget(org, "100000");
  await isolates.drive(org, 120);
  const [one, two] = await Promise.all([ask(org, 1, "both", "0.01"), ask(org, 2, "both", "0.02")]);
  const given = allowed([one, two]);
  if (given.length === 2) expect(one.body.reservation.id).not.toBe(two.body.reservation.id);
  else expect([one.status, two.status].toSorted((a, b) => a - b)).toEqual([200, 409]);
  const sum = given.reduce((cents, { body }) => cents + Number(body.reservation.amount_usd) * 100, 0);
  await isolates.reserves(org, id, ((120 + sum) / 100).toFixed(2));
  for (const { body } of given) {
    const { id: reservation, amount_usd: amount } = body.reservation;
    expect((await run(org, 3, reservation, amount)).status).toBe(201);
    expect((await run(org, 3, reservation, amount)).status).toBe(409);
  }
  await isolates.reserves(org, id, "1.20");
  expect(Number((await isolates.readBudget(org, id)).spent_usd)).toBe(sum / 100);
});

test("another isolate's report leaves a released reservation released: nothing is held, and no run settles it", async () => {
  const org = await isolates.newOrg();
  const id = await isolates.budget(org, "100000");
  await isolates.drive(org, 120);
  for (const request of ["r1", "r2", "r3", "r4"]) {
    const answers = await Promise.all(ALL.map((isolate) => ask(org, isolate, request, "0.01")));
    expect(allowed(answers)).toHaveLength(4);
    const reservation = answers[0]?.body.reservation.id as string;
    // Longer than the clocks of isolates can differ, so that all of them certainly decided before the release.
    await setTimeout(200);
    const path = `/v1/edge/decision/${reservation}`;
    expect((await isolates.call(3, "DELETE", path, org.key)).status).toBe(204);
    await isolates.reserves(org, id, "1.20");
    expect((await run(org, 1, reservation, "0.01")).status).toBe(409);
  }
});

/** What an isolate answered for an org after it vanished. */
async function answersOfVanished(org: Org): Promise<Answer[]> {
  await isolates.budget(org, "100000");
  await isolates.drive(org, 120);
  await isolates.make(3, "vanish", org.id);
  const lost: Answer[] = [];
  for (let index = 0; index < 4; index += 1) {
    lost.push(await isolates.decide(org, 3, index % 2 === 0 ? {} : { request_id: `lost-${index}` }));
  }
  return lost;
}

test("a reservation of a lost isolate is settled once, and a made-up one never", async () => {
  let org = await isolates.newOrg();
  let lost = await answersOfVanished(org);
  // On a busy machine its slices may have expired by then.
  for (let round = 0; round < MOST_ROUNDS && atEdge(allowed(lost)).length === 0; round += 1) {
    org = await isolates.newOrg();
    lost = await answersOfVanished(org);
  }
  expect(atEdge(allowed(lost)).length).toBeGreaterThan(0);
  for (const { body } of lost) {
    const { id } = body.reservation;
    const runs = await Promise.all([0, 1, 2].map((isolate) => run(org, isolate, id, "0.01")));
    expect(runs.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409]);
    const last = id.endsWith("0") ? "1" : "0";
    expect((await run(org, 1, id.slice(0, -1) + last, "0.01")).status).toBe(422);
  }
});
