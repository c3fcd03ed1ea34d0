import { expect, test } from "vitest";
import { NO_USAGE, type Usage } from "../../src/domain/meter/meter.ts";
import { largestCounters, LargestCounters, noteCounter } from "../../src/org/meters/largest-counters.ts";
import { beginTransaction, rollBackCaches } from "../../src/storage/transactional-cache.ts";
import { aRun, newSpender } from "../support/ledger.ts";

/** The counters of a budget that have most in them, kept up to date as they change. */

const sizeOf = ({ spent, over, held, leased }: Usage) => Number(spent + over + held + leased);

/** No total that is kept is read again. */
const NOTHING = { spent: -1n, reserved: -1n };

/** The counters as a statement would read them. */
function readFrom(counters: ReadonlyMap<string, Usage>) {
  const all = Array.from(counters, ([subject, usage]) => ({ subject, usage }));
  const sum = (of: (usage: Usage) => bigint) =>
    [...counters.values()].reduce((total, one) => total + of(one), 0n);
  return {
    largest: (most: number) =>
      all.toSorted((one, other) => sizeOf(other.usage) - sizeOf(one.usage)).slice(0, most),
    count: (most: number) => Math.min(all.length, most),
    total: {
      spent: sum(({ spent, over }) => spent + over),
      reserved: sum(({ held, leased }) => held + leased),
    },
  };
}

test("they are the largest after any changes, or others are said to be possible", () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % below;
  };
  const counters = new Map<string, Usage>();
  const usage = (): Usage => ({
    spent: BigInt(random(1000)),
    over: BigInt(random(3)),
    held: BigInt(random(500)),
    leased: BigInt(random(50)),
  });
  for (let nth = 0; nth < 1500; nth += 1) counters.set(`s${nth}`, usage());
  const read = () => {
    const { total, ...reads } = readFrom(counters);
    const made = new LargestCounters(0, 100, reads);
    made.total(() => total);
    return made;
  };
  let kept = read();
  let rereads = 0;
  for (let step = 0; step < 4000; step += 1) {
    const subject = `s${random(1600)}`;
    const before = counters.get(subject) ?? NO_USAGE;
    // Those that are kept shrink now and then.
    const [first] = kept.first(50) ?? [];
    const changed = step % 3 === 0 && first !== undefined ? first.subject : subject;
    const [was, is] = [counters.get(changed) ?? before, usage()];
    counters.set(changed, is);
    kept.note(changed, was, is);
    const found = kept.first(50);
    if (found !== null && step % 16 !== 0) continue;
    const { largest, total } = readFrom(counters);
    expect(kept.total(() => NOTHING)).toEqual(total);
    if (found === null) {
      rereads += 1;
      kept = read();
      continue;
    }
    for (const one of found) expect(one.usage).toEqual(counters.get(one.subject));
    expect(found.map(({ usage: of }) => sizeOf(of))).toEqual(largest(50).map(({ usage: of }) => sizeOf(of)));
  }
  expect(rereads).toBeGreaterThan(0);
  expect(rereads).toBeLessThan(400);
});

test("what a transaction read or changed goes with it, also within another, and all else stays", () => {
  const sql = {} as SqlStorage;
  const usage = (spent: bigint): Usage => ({ ...NO_USAGE, spent });
  let stored = new Map([["a", usage(5n)]]);
  const reads: string[] = [];
  const first = (meterId: string) =>
    largestCounters(
      sql,
      { meterId, startMs: 0, limit: 1 },
      {
        largest(most) {
          reads.push(meterId);
          return readFrom(stored).largest(most);
        },
        count: (most) => readFrom(stored).count(most),
        total: () => readFrom(stored).total,
      },
    ).total().spent;
  const spend = (meterId: string, amount: bigint) => {
    const before = stored.get("a") ?? NO_USAGE;
    const after = usage(before.spent + amount);
    stored = new Map([["a", after]]);
    noteCounter(sql, { meterId, startMs: 0, subject: "a", before, after });
  };
  expect([first("one"), first("other")]).toEqual([5n, 5n]);
  const outer = beginTransaction();
  spend("one", 2n);
  beginTransaction();
  expect(first("third")).toBe(7n);
  stored = new Map([["a", usage(5n)]]);
  rollBackCaches(sql, outer);
  expect([first("one"), first("other"), first("third")]).toEqual([5n, 5n, 5n]);
  expect(reads).toEqual(["one", "other", "third", "one", "third"]);
  beginTransaction();
  spend("one", 1n);
  const inner = beginTransaction();
  rollBackCaches(sql, inner);
  expect([first("one"), reads.length]).toEqual([6n, 5]);
  rollBackCaches(sql);
  expect([first("other"), reads.length]).toEqual([6n, 6]);
});

test("a budget says which of its counters is the fullest and what they have together, as they change", async () => {
  const org = await newSpender();
  const counted = { match: {}, group_by: ["user_id"], limit_usd: "50", period: "month" };
  const path = `budgets/${(await org.send("POST", "budgets", counted)).body.id}`;
  const counters = async () => {
    const { body } = await org.send("GET", path);
    const { data } = (await org.send("GET", "budgets")).body;
    expect(data[0].counters).toEqual(body.counters);
    return [body.counters.fullest?.group ?? null, body.counters.spent, body.counters.reserved];
  };
  expect(await counters()).toEqual([null, "0.00", "0.00"]);
  const run = (user_id: string, cost_usd: string) => ({
    ...aRun({ user_id, cost_usd }),
    started_at: new Date().toISOString(),
  });
  const users = Array.from({ length: 300 }, (_, nth) => run(`u${nth}`, nth === 250 ? "7.000000001" : "0.5"));
  expect((await org.bulk(users)).body.accepted).toBe(300);
  expect(await counters()).toEqual(["u250", "156.500000001", "0.00"]);
  expect((await org.bulk([run("late", "9.25")])).body.accepted).toBe(1);
  expect(await counters()).toEqual(["late", "165.750000001", "0.00"]);
  // What is refused leaves nothing.
  expect((await org.run(run("u1", "49.75"))).status).toBe(402);
  expect(await counters()).toEqual(["late", "165.750000001", "0.00"]);
  expect((await org.decide("12", { user_id: "u7" })).status).toBe(200);
  await expect.poll(counters).toEqual(["u7", "165.750000001", "12.00"]);
});

test("what the counters of a budget have together is exact, however much that is", async () => {
  const org = await newSpender();
  const counted = { match: {}, group_by: ["user_id"], limit_usd: "99000000", period: "month" };
  const path = `budgets/${(await org.send("POST", "budgets", counted)).body.id}`;
  const costs = ["9007199.254740993", "9007199.254740992", "3.000000001"];
  const runs = costs.map((cost_usd, nth) => ({
    ...aRun({ user_id: `u${nth}`, cost_usd }),
    started_at: new Date().toISOString(),
  }));
  expect((await org.bulk(runs)).body.accepted).toBe(3);
  expect((await org.send("GET", path)).body.counters.spent).toBe("18014401.509481986");
});

test("a list of few limits says how many there are, of which it counts at most 50 of a budget, as they come", async () => {
  const org = await newSpender();
  const counted = { match: {}, group_by: ["user_id"], limit_usd: "50", period: "month" };
  await org.send("POST", "budgets", counted);
  const limits = async (limit: number) => (await org.send("GET", `limits?limit=${limit}`)).body;
  const { count: others } = await limits(3);
  const spend = async (from: number, to: number) => {
    const runs = Array.from({ length: to - from }, (_, nth) => ({
      ...aRun({ user_id: `u${from + nth}`, cost_usd: `0.${100 + from + nth}` }),
      started_at: new Date().toISOString(),
    }));
    expect((await org.bulk(runs)).body.accepted).toBe(to - from);
  };
  for (const [from, to] of [
    [0, 7],
    [7, 30],
    [30, 31],
    [31, 49],
    [49, 50],
    [50, 70],
  ] as const) {
    await spend(from, to);
    const few = await limits(3);
    expect(few.count - others).toBe(Math.min(to, 50));
    const shown = few.data.map(({ scope_id }: { scope_id: string }) => scope_id);
    expect(shown).toEqual([1, 2, 3].map((nth) => `u${to - nth}`));
  }
  const [few, many] = [await limits(3), await limits(200)];
  expect([many.data.slice(0, 3), many.count]).toEqual([few.data, few.count]);
});

test("a counter with little spent and much reserved is among the largest that are read", async () => {
  const org = await newSpender();
  const counted = { match: {}, group_by: ["user_id"], limit_usd: "50", period: "month" };
  const path = `budgets/${(await org.send("POST", "budgets", counted)).body.id}`;
  const runs = Array.from({ length: 40 }, (_, nth) => ({
    ...aRun({ user_id: `u${nth}`, cost_usd: nth === 7 ? "0.1" : "0.5" }),
    started_at: new Date().toISOString(),
  }));
  expect((await org.bulk(runs)).body.accepted).toBe(40);
  expect((await org.decide("12", { user_id: "u7" })).status).toBe(200);
  const reserved = async () => {
    const { data } = (await org.send("GET", `${path}/groups?limit=200`)).body;
    return data.find((one: { group: string }) => one.group === "u7").reserved;
  };
  await expect.poll(reserved).toBe("12.00");
  const [first] = (await org.send("GET", "limits?limit=1")).body.data;
  expect(first).toMatchObject({ scope_id: "u7", spent: "0.10", reserved: "12.00" });
});
