import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, test, vi } from "vitest";
import { CENT, newBudgeted } from "../../support/budgeted.ts";
import { LeaseHolder } from "../../support/lease-holder.ts";
import { newSpender, type Spender } from "../../support/ledger.ts";
import { leaseRate } from "../../support/rate-leases.ts";
import { rowsOf } from "../../support/rows.ts";
import { env } from "../../support/worker.ts";
import { evict } from "../../support/evict.ts";

const realNow = Date.now.bind(Date);

/** The clock of the object, and of everything else here. */
function goAhead(seconds: number): void {
  vi.spyOn(Date, "now").mockImplementation(() => realNow() + seconds * 1000);
}

afterEach(() => {
  vi.restoreAllMocks();
});

/** An org with slices in an isolate that never reports. */
async function orgWithSlicesOut(): Promise<{ org: Spender; reserved: () => Promise<string> }> {
  const org = await newSpender();
  const budget = { scope_kind: "org", limit_usd: "100000", period: "total", mode: "enforce" };
  const { id } = (await org.send("POST", "budgets", budget)).body;
  const reserved = async () => (await org.send("GET", `budgets/${id}`)).body.reserved_usd;
  await new LeaseHolder(org.id).lease(10_000_000_000n);
  expect(Number(await reserved())).toBeGreaterThan(0);
  return { org, reserved };
}

/** Runs everything that is due, as the platform's alarm would. */
async function whatIsDue(org: Spender): Promise<void> {
  const object = env.ORG.getByName(org.id);
  for (let alarm = 0; alarm < 10; alarm += 1) {
    const at = await runInDurableObject(object, (_, { storage }) => storage.getAlarm());
    if (at === null || at > Date.now()) return;
    await runDurableObjectAlarm(object);
  }
}

test("slices come back by themselves when the last possible hold has ended, and not before", async () => {
  const { org, reserved } = await orgWithSlicesOut();
  const held = await reserved();
  goAhead(890);
  await whatIsDue(org);
  expect((await org.run({ cost_usd: "0" })).status).toBe(201);
  expect(await reserved()).toBe(held);
  goAhead(902);
  await whatIsDue(org);
  expect(await reserved()).toBe("0.00");
  expect(await rowsOf(org.id, "SELECT * FROM due WHERE kind = 'leases'")).toEqual([]);
});

test("slices come back after the object restarted, in an org that only sends runs", async () => {
  const { org, reserved } = await orgWithSlicesOut();
  await evict(env.ORG.getByName(org.id));
  goAhead(902);
  expect((await org.run({ cost_usd: "0" })).status).toBe(201);
  await whatIsDue(org);
  expect(await reserved()).toBe("0.00");
});

test("slices of a rate limit still count after the object restarted", async () => {
  const org = await newSpender();
  await leaseRate(org, 1000, 3600);
  const available = async () => (await org.decide("0", { dry_run: true })).body.limits[0].available;
  const left = await available();
  expect(left).toBeLessThan(1000);
  await evict(env.ORG.getByName(org.id));
  expect(await available()).toBe(left);
});

test("slices of live isolates are left alone, and checked again when the first of them may end", async () => {
  const { org, reserved } = await orgWithSlicesOut();
  goAhead(600);
  await new LeaseHolder(org.id).lease(10_000_000_000n);
  const both = Number(await reserved());
  goAhead(902);
  await whatIsDue(org);
  const one = Number(await reserved());
  expect(one).toBeGreaterThan(0);
  expect(one).toBeLessThan(both);
  goAhead(1503);
  await whatIsDue(org);
  expect(await reserved()).toBe("0.00");
});

test("a report that comes after its slice was taken back takes nothing from the slices of others", async () => {
  const org = await newBudgeted();
  const late = await org.isolate();
  const id = late.hold(CENT, Date.now()) ?? "";
  goAhead(902);
  await whatIsDue(org);
  const other = await org.isolate();
  const slice = (await org.budget()).reserved_usd;
  expect(Number(slice) * 1e9).toBe(Number(other.left));
  await late.end();
  expect(await org.kept(id)).toMatchObject([{ amount: String(CENT) }]);
  await whatIsDue(org);
  expect(await org.budget()).toMatchObject({ reserved_usd: slice });
});

describe("when a test org's clock is moved ahead,", () => {
  test("slices of an isolate that vanished come back with the last hold that they may have given", async () => {
    const { org, reserved } = await orgWithSlicesOut();
    const held = await reserved();
    await org.advance(600);
    expect(await reserved()).toBe(held);
    await org.advance(200);
    expect(await reserved()).toBe(held);
    await org.advance(100);
    expect(await reserved()).toBe("0.00");
    expect(await rowsOf(org.id, "SELECT * FROM due WHERE kind = 'leases'")).toEqual([]);
  });

  test("they come back after a restart of the object as well", async () => {
    const { org, reserved } = await orgWithSlicesOut();
    const held = await reserved();
    await org.advance(600);
    await evict(env.ORG.getByName(org.id));
    expect(await reserved()).toBe(held);
    await org.advance(300);
    expect(await reserved()).toBe("0.00");
  });

  test("a rate limit gets back what a vanished isolate had of it once its window is over", async () => {
    const org = await newSpender();
    await leaseRate(org, 1000, 3600);
    const available = async () => (await org.decide("0", { dry_run: true })).body.limits[0].available;
    expect(await available()).toBeLessThan(1000);
    await org.advance(3 * 3600);
    expect(await available()).toBe(1000);
  });
});

test("one row stands for all slices: reports do not write it again", async () => {
  const { org } = await orgWithSlicesOut();
  const row = () => rowsOf<{ at: number }>(org.id, "SELECT at FROM due WHERE kind = 'leases'");
  const [before] = await row();
  goAhead(5);
  for (let isolate = 0; isolate < 3; isolate += 1) await new LeaseHolder(org.id).lease(10_000_000_000n);
  expect(await row()).toEqual([before]);
});

test("slices that an earlier version of the object left behind come back too", async () => {
  const { org, reserved } = await orgWithSlicesOut();
  await rowsOf(org.id, "DELETE FROM due WHERE kind = 'leases'");
  await rowsOf(org.id, "DELETE FROM schema_steps WHERE name = 'gate/2'");
  const object = env.ORG.getByName(org.id);
  await runInDurableObject(object, (_, { storage }) => storage.deleteAlarm());
  await evict(object);
  goAhead(902);
  expect(Number(await reserved())).toBeGreaterThan(0);
  await whatIsDue(org);
  expect(await reserved()).toBe("0.00");
});
