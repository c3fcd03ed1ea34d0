import * as fc from "fast-check";
import { expect, test } from "vitest";
import { formatUsd } from "../../../src/domain/price/money.ts";
import { LeaseHolder } from "../../support/lease-holder.ts";
import { newSpender, type Spender } from "../../support/ledger.ts";
import { rowsOf } from "../../support/rows.ts";

const USERS = ["u1", "u2", "u3"] as const;
const CALL = 100_000n;
const LIMITS = { each: 5_000_000_000n, pair: 8_000_000_000n, all: 10_000_000_000n };

type Step =
  | { readonly do: "hold" | "report" | "kill"; readonly at: number; readonly calls: number }
  | { readonly do: "ask"; readonly at: number; readonly calls: number };

const step: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom("hold", "hold", "hold", "report", "report", "kill", "ask", "ask"),
  at: fc.nat({ max: 5 }),
  calls: fc.integer({ min: 1, max: 60 }),
});

interface Isolate {
  readonly user: (typeof USERS)[number];
  holder: LeaseHolder;
}

async function newIsolate(org: Spender, user: Isolate["user"]): Promise<LeaseHolder> {
  const holder = new LeaseHolder(org.id);
  await holder.lease(CALL, { user_id: user, model: "m1" });
  return holder;
}

async function withinLimits(org: Spender, ids: Readonly<Record<string, bigint>>): Promise<void> {
  type Row = { meter_id: string; spent: string; over: string; held: string; leased: string };
  const rows = await rowsOf<Row>(org.id, "SELECT * FROM usage");
  for (const { meter_id, spent, over, held, leased } of rows) {
    const limit = ids[meter_id];
    if (limit === undefined) continue;
    const used = BigInt(spent) + BigInt(over) + BigInt(held) + BigInt(leased);
    expect(used <= limit ? "within" : `${used} of ${limit}`).toBe("within");
  }
}

test("isolates that lease, report and die never admit more than any counter of any budget has", async () => {
  let heldHere = 0;
  let refused = 0;
  const played = fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 60 }), async (steps) => {
    const org = await newSpender();
    const budget = async (fields: object, limit: bigint) => {
      const body = { period: "total", limit: formatUsd(limit), ...fields };
      return (await org.send("POST", "budgets", body)).body.id as string;
    };
    const ids = {
      [await budget({ match: {}, group_by: ["user_id"] }, LIMITS.each)]: LIMITS.each,
      [await budget({ match: { user_id: ["u1", "u2"], model: "m*" } }, LIMITS.pair)]: LIMITS.pair,
      [await budget({ scope_kind: "org" }, LIMITS.all)]: LIMITS.all,
    };
    const isolates: Isolate[] = [];
    for (const user of [...USERS, ...USERS]) isolates.push({ user, holder: await newIsolate(org, user) });
    const admitted: Record<string, bigint> = { u1: 0n, u2: 0n, u3: 0n };
    for (const { do: what, at, calls } of steps) {
      const isolate = isolates[at];
      if (isolate === undefined) continue;
      const { user, holder } = isolate;
      if (what === "hold") {
        for (let call = 0; call < calls && holder.hold(CALL, Date.now()) !== null; call += 1) {
          admitted[user] = (admitted[user] ?? 0n) + CALL;
          heldHere += 1;
        }
      } else if (what === "report") await holder.report();
      else if (what === "kill") isolate.holder = await newIsolate(org, user);
      else {
        const nanos = BigInt(calls) * 50_000_000n;
        const asked = await org.decide(formatUsd(nanos), { user_id: user, model: "m1" });
        if (asked.status === 200) admitted[user] = (admitted[user] ?? 0n) + nanos;
        else refused += 1;
      }
      await withinLimits(org, ids);
    }
    const [u1 = 0n, u2 = 0n, u3 = 0n] = USERS.map((user) => admitted[user]);
    for (const one of [u1, u2, u3]) expect(one <= LIMITS.each).toBe(true);
    expect(u1 + u2 <= LIMITS.pair).toBe(true);
    expect(u1 + u2 + u3 <= LIMITS.all).toBe(true);
    for (const { holder } of isolates) await holder.end();
    await withinLimits(org, ids);
  });
  await fc.assert(played, { numRuns: 6, endOnFailure: true });
  expect([heldHere > 100, refused > 0]).toEqual([true, true]);
});

test("a slice of one group admits nothing of another, and what it held is settled where it stands", async () => {
  const org = await newSpender();
  const body = { match: {}, group_by: ["user_id"], period: "month", limit_usd: "100" };
  const { id } = (await org.send("POST", "budgets", body)).body as { id: string };
  const isolate = new LeaseHolder(org.id);
  await isolate.lease(10_000_000n, { user_id: "alice" });
  const reservation = isolate.hold(10_000_000n, Date.now());
  await isolate.end();
  const groups = async () => {
    const { body: told } = await org.send("GET", `budgets/${id}/groups`);
    return told.data.map((one: { group: string; spent: string; reserved: string }) => [
      one.group,
      one.spent,
      one.reserved,
    ]) as unknown;
  };
  expect(await groups()).toEqual([["alice", "0.00", "0.01"]]);
  await org.run({ user_id: "bob", cost_usd: "0.25", reservation_id: reservation });
  expect(await groups()).toEqual([["alice", "0.25", "0.00"]]);
});

test("a slice ends before the increase that it came from, and the limit holds again then", async () => {
  const org = await newSpender();
  const budget = { match: { user_id: "u1" }, period: "total", limit_usd: "1" };
  const { id } = (await org.send("POST", "budgets", budget)).body as { id: string };
  await org.run({ user_id: "u1", cost_usd: "1" });
  const until = new Date(Date.now() + 700).toISOString();
  const raised = await org.send("POST", `budgets/${id}/increases`, { amount: "1", until, reason: "launch" });
  expect(raised.status).toBe(201);
  const isolate = new LeaseHolder(org.id);
  await isolate.lease(CALL, { user_id: "u1" });
  // Where the machine was slow, the increase has ended already and nothing was leased.
  if (isolate.left > 0n) expect(isolate.usableUntil).toBeLessThan(Date.parse(until));
  await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(until));
  expect((await org.decide("0.0001", { user_id: "u1" })).status).toBe(402);
});
