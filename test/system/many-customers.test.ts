import { afterAll, beforeAll, expect, test } from "vitest";
import { allowed, atEdge, Isolates, MOST_ROUNDS } from "../support/isolates.ts";

/** Four real isolates, and customers who have a limit each. */

const CUSTOMERS = 24;
const CALLS = 960;
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
