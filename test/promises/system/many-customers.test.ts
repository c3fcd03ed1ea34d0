import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { subjectsOf } from "../../../scripts/bench/edge-traffic.ts";
import { allowed, atEdge, Isolates, MOST_ROUNDS } from "../../support/isolates.ts";
import { PATIENT } from "../../support/patience.ts";

/** Four real isolates, and customers who have a limit each. */

const CUSTOMERS = 24;
const CALLS = 480;
const LIMIT_USD = 100_000;
let isolates: Isolates;

beforeAll(async () => {
  isolates = await Isolates.start();
});
afterAll(() => isolates.end());

test("isolates decide for many customers by themselves, once each was seen", async () => {
  const org = await isolates.newOrg();
  const limit = { customer_id: "*", limit_usd: String(LIMIT_USD), period: "month" };
  const made = await isolates.call(0, "POST", `/v1/orgs/${org.id}/customer-limits`, org.key, limit);
  expect(made.status).toBe(201);
  // Each customer goes through every isolate in turn.
  const customer = (call: number) => `cus_${Math.floor(call / 4) % CUSTOMERS}`;
  const shares: number[] = [];
  await isolates.whileNothingExpires(async () => {
    // A report that is late on a busy machine spoils one round, not every round.
    while (shares.length < MOST_ROUNDS && !shares.some((share) => share >= 0.97)) {
      const round = shares.length;
      const answers = await isolates.drive(org, CALLS, 8, (call) => ({
        customer_id: customer(call),
        request_id: `many-${round}-${call}`,
      }));
      expect(allowed(answers)).toHaveLength(CALLS);
      shares.push(atEdge(answers).length / answers.length);
    }
  });
  expect(Math.max(...shares)).toBeGreaterThanOrEqual(0.97);
  // Each call was reserved once for its customer, and all that isolates did not use is given back.
  const left = async () => {
    const ask = { customer_id: "cus_0", dry_run: true, estimate: { cost_usd: "0" } };
    const { body } = await isolates.decide(org, 0, ask);
    return Number(body.limits[0].available_usd);
  };
  const each = (shares.length * CALLS) / CUSTOMERS / 100;
  await expect.poll(left).toBe(LIMIT_USD - each);
});

test("no customer of a thousand passes a limit, and none loses a hold, while isolates vanish and the object restarts", async () => {
  const CALLS_OF_LIMIT = 350;
  const org = await isolates.newOrg();
  const limit = { customer_id: "*", limit_usd: String(CALLS_OF_LIMIT / 100), period: "month" };
  await isolates.call(0, "POST", `/v1/orgs/${org.id}/customer-limits`, org.key, limit);
  // The first ranks come to the end of their limits, and most of the others are called a few times.
  const next = subjectsOf("zipf", 1000);
  const given = new Map<string, number>();
  let [sent, byIsolate] = [0, 0];
  const drive = async (until: number): Promise<void> => {
    const client = async (): Promise<void> => {
      while (sent < until) {
        sent += 1;
        const [n, customer] = [sent, `cus_${next()}`];
        const ask = { customer_id: customer, request_id: `thousand-${n}` };
        // A runtime that is busy for seconds closes connections. A named request is decided once.
        const answer = await vi.waitFor(() => isolates.decide(org, n, ask), PATIENT);
        expect([200, 402, 503]).toContain(answer.status);
        if (answer.status === 200) given.set(customer, (given.get(customer) ?? 0) + 1);
        byIsolate += atEdge([answer]).length;
      }
    };
    await Promise.all(Array.from({ length: 16 }, client));
  };
  const evict = () => isolates.server.evict(org.id).catch(() => {});
  await drive(1500);
  await Promise.all([drive(2500), isolates.make(3, "vanish", org.id), evict()]);
  await Promise.all([drive(4000), isolates.make(2, "vanish", org.id), evict()]);
  // How many depends on the machine. That some are says that slices are at stake.
  expect(byIsolate).toBeGreaterThan(100);
  const ranked = [...given].toSorted(([, a], [, b]) => b - a);
  expect(ranked[0]?.[1]).toBeLessThanOrEqual(CALLS_OF_LIMIT);
  for (const [customer, calls] of ranked.slice(0, 40)) {
    const ask = { customer_id: customer, dry_run: true, estimate: { cost_usd: "0" } };
    const { body } = await isolates.decide(org, 0, ask);
    const left = Math.round(Number(body.limits[0].available_usd) * 100);
    // Slices of the isolates that vanished may still count.
    expect(left).toBeLessThanOrEqual(CALLS_OF_LIMIT - calls);
  }
});
