import { afterAll, beforeAll, expect, test } from "vitest";
import { allowed, type Answer, atEdge, Isolates, type Org } from "../../support/isolates.ts";

/** How much leases may withhold from callers, and for how long, over four real isolates. */

const ALL = [0, 1, 2, 3];
const RELEASED_AT_ONCE = 500;
let isolates: Isolates;

beforeAll(async () => {
  isolates = await Isolates.start();
});
afterAll(() => isolates.end());

/** A hold time so long that the object decides, with current data. */
const EXACT = { hold_seconds: 3600 };

/** Steady traffic in every isolate until each client has been refused once. */
async function driveToLimit(org: Org, clients: number): Promise<Answer[]> {
  const answers: Answer[] = [];
  const client = async (isolate: number): Promise<void> => {
    let answer: Answer;
    do {
      answer = await isolates.decide(org, isolate);
      answers.push(answer);
    } while (answer.status === 200);
  };
  await Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  return answers;
}

/** Settles every hold with a run of half its amount. */
async function settle(org: Org, answers: readonly Answer[]): Promise<void> {
  const runs = answers.map(({ body }) => ({
    started_at: new Date().toISOString(),
    model: "m",
    usage: { input_tokens: 1, output_tokens: 1 },
    cost_usd: "0.005",
    reservation_id: body.reservation.id as string,
  }));
  for (let from = 0; from < runs.length; from += RELEASED_AT_ONCE) {
    const body = { runs: runs.slice(from, from + RELEASED_AT_ONCE) };
    const { body: result } = await isolates.call(0, "POST", "/v1/runs/bulk", org.key, body);
    expect(result).toMatchObject({ accepted: body.runs.length, rejected: 0 });
  }
}

test("at most 2 % of a limit is stranded when the first call is refused, and nothing once the holds are settled", async () => {
  const org = await isolates.newOrg();
  const id = await isolates.budget(org, "20");
  const given = allowed(await driveToLimit(org, 16));
  expect(atEdge(given).length).toBeGreaterThan(0);
  expect(given.length).toBeLessThanOrEqual(2000);
  expect(given.length).toBeGreaterThanOrEqual(1960);
  await settle(org, given);
  await isolates.reserves(org, id, "0.00");
  const left = (20 - given.length * 0.005).toFixed(3);
  const over = { ...EXACT, estimate: { cost_usd: `${left}000001` } };
  expect((await isolates.decide(org, 1, over)).status).toBe(402);
  expect((await isolates.decide(org, 2, { ...EXACT, estimate: { cost_usd: left } })).status).toBe(200);
});

test("a raised limit admits calls in every isolate that refused by the old one", async () => {
  const org = await isolates.newOrg();
  const id = await isolates.budget(org, "1");
  await driveToLimit(org, 16);
  const refused = await isolates.driveToEdge(org, 40);
  expect(allowed(refused)).toHaveLength(0);
  expect(atEdge(refused).length).toBeGreaterThan(0);
  await isolates.changeBudget(org, id, { limit_usd: "100" });
  for (const isolate of ALL) {
    const status = async () => (await isolates.decide(org, isolate)).status;
    await expect.poll(status).toBe(200);
  }
});

/** Every counter of the org that a decision touches. */
async function meters(org: Org): Promise<unknown> {
  const read = async (path: string) => (await isolates.call(0, "GET", path, org.key)).body;
  const dry = { dry_run: true, estimate: { cost_usd: "0.01", input_tokens: 1 } };
  const { body } = await isolates.decide(org, 0, dry);
  return {
    budgets: (await read(`/v1/orgs/${org.id}/budgets`)).data,
    cap: await read(`/v1/orgs/${org.id}/spend-cap`),
    quota: await read(`/v1/orgs/${org.id}/quota`),
    limits: body.limits,
  };
}

test("denied decisions, in the isolates and by the object, leave every meter unchanged", async () => {
  const org = await isolates.newOrg();
  const rate = { match: { route: "POST /v1/edge/decision" }, limit: 1_000_000, window_seconds: 86_400 };
  await isolates.limitRates(org, [
    { ...rate, name: "calls", unit: "requests", kind: "quota" },
    { ...rate, name: "tokens", unit: "tokens", kind: "quota" },
  ]);
  await isolates.budget(org, "100000");
  await isolates.call(0, "PUT", `/v1/orgs/${org.id}/spend-cap`, org.key, { cap_usd: "100000" });
  await isolates.call(0, "PUT", `/v1/orgs/${org.id}/quota`, isolates.operator, {});
  const path = `/v1/orgs/${org.id}/quota/top-ups`;
  await isolates.call(0, "POST", path, isolates.operator, { amount_usd: "100000" });
  const barred = { scope_kind: "workflow", scope_id: "barred" };
  const id = await isolates.budget(org, "0", barred);
  await isolates.drive(org, 120);
  await expect
    .poll(async () => ((await meters(org)) as { cap: { reserved_usd: string } }).cap.reserved_usd)
    .toBe("1.20");
  const before = await meters(org);
  const estimate = { cost_usd: "0.01", input_tokens: 10, max_output_tokens: 10 };
  const denied = await isolates.driveToEdge(org, 120, () => ({ workflow_id: "barred", estimate }));
  expect(denied.every(({ body }) => body.error.details.budget_id === id)).toBe(true);
  expect(new Set(denied.map(({ headers }) => headers.get("x-svc-decided")))).toEqual(
    new Set(["edge", "object"]),
  );
  expect(await meters(org)).toEqual(before);
});

/** Last, because it moves the objects' clock ahead. */
test("what a lost isolate may have held comes back when the last such hold has ended, and not before", async () => {
  const org = await isolates.newOrg();
  const id = await isolates.budget(org, "20");
  const begunAt = performance.now();
  const first = await isolates.drive(org, 400);
  await isolates.make(3, "vanish", org.id);
  const second = await isolates.drive(org, 200);
  const given = allowed([...first, ...second]);
  expect(given).toHaveLength(600);
  const held = 6;
  const kept = async () => Number((await isolates.readBudget(org, id)).reserved_usd);
  expect(await kept()).toBeGreaterThan(held);
  const ahead = (seconds: number) => isolates.make(0, "apart-ms", seconds * 1000);
  const biggest = async () => {
    const ask = { ...EXACT, dry_run: true, estimate: { cost_usd: "20" } };
    const { body } = await isolates.decide(org, 0, ask);
    return body.limits[0].available_usd as string;
  };
  // Ten seconds before the first hold expires, however long the test has taken.
  await ahead(890 - (performance.now() - begunAt) / 1000);
  expect(Number(await biggest())).toBeLessThan(20 - held);
  await ahead(910);
  // Isolates that just had traffic may still get slices, and give them back.
  const all = { ...EXACT, estimate: { cost_usd: "20" } };
  const status = async () => (await isolates.decide(org, 1, all)).status;
  await expect.poll(status).toBe(200);
  expect((await isolates.decide(org, 2, EXACT)).status).toBe(402);
});
