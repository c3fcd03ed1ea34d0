import { expect, test } from "vitest";
import { LeaseLedger } from "../../../src/gate/lease/lease-ledger.ts";
import { GIVE_UP_MS, LeaseClient } from "../../../src/gate/lease/lease-client.ts";
import { IN_PARTS } from "./world.ts";

const CALLS = 8;

/** A lease client whose calls were all decided by the object so far. */
function wantingClient() {
  const leaseClient = new LeaseClient<never>("holder");
  const slices = ["a", "b"].map((meter) => leaseClient.slice(meter));
  for (let call = 0; call < CALLS; call += 1) for (const slice of slices) leaseClient.miss(slice, 10);
  return { leaseClient, slices };
}

test("steady traffic without slices asks with the next call, one ask at a time", () => {
  const { leaseClient, slices } = wantingClient();
  expect(leaseClient.wanting(slices, 0)).toBe(true);
  leaseClient.ask(0);
  for (let call = 0; call < CALLS; call += 1) for (const slice of slices) leaseClient.miss(slice, 10);
  expect(leaseClient.wanting(slices, GIVE_UP_MS - 1)).toBe(false);
});

test("an ask whose sender is gone is given up, and its answer is ignored once another is sent", () => {
  const { leaseClient, slices } = wantingClient();
  const { attempt } = leaseClient.ask(0);
  for (let call = 0; call < CALLS; call += 1) for (const slice of slices) leaseClient.miss(slice, 10);
  expect([leaseClient.asking(GIVE_UP_MS - 1), leaseClient.asking(GIVE_UP_MS)]).toEqual([true, false]);
  expect(leaseClient.wanting(slices, GIVE_UP_MS)).toBe(true);
  leaseClient.ask(GIVE_UP_MS);
  leaseClient.granted({ attempt, slices: new Map([["a", { add: 100n, forMs: 1000, share: 100n }]]) });
  expect(slices.map(({ left }) => left)).toEqual([0, 0]);
});

test("a slice holds at most what a plain number represents exactly, however much is granted", () => {
  const { leaseClient, slices } = wantingClient();
  const { attempt } = leaseClient.ask(0);
  const addition = { add: 10n ** 18n, forMs: 1000, share: 10n ** 18n };
  leaseClient.granted({ attempt, slices: new Map([["a", addition]]) });
  const [first] = slices;
  expect(first?.left).toBe(2 ** 51);
  expect(leaseClient.ask(1).wants.get("a")?.left).toBeLessThanOrEqual(2n ** 51n);
});

test("what was used and does not fit into a report stays leased until it is reported, once", () => {
  const leaseClient = new LeaseClient<number>("holder", IN_PARTS);
  const book = new LeaseLedger();
  const slice = leaseClient.slice("a");
  const terms = () => ({ limit: 1_000_000n, used: 0n, lifeMs: 1000, lingerMs: 900_000 });
  const report = (now: number) => {
    const settled = book.settle(leaseClient.ask(now), terms, now);
    if (settled !== null) leaseClient.granted(settled.grant);
    return settled;
  };
  for (let call = 0; call < CALLS; call += 1) leaseClient.miss(slice, 1000);
  report(0);
  const leased = book.leased("a", 0);
  for (let hold = 0; hold < 30; hold += 1) {
    expect(leaseClient.take([slice], [100], 1)).toBe(true);
    leaseClient.note(hold);
  }
  const holds: number[] = [];
  let used = 0n;
  for (let at = 2000; used < 3000n && at < 2020; at += 1) {
    const settled = report(at);
    holds.push(...(settled?.holds ?? []));
    used += settled?.moves.get("a")?.used ?? 0n;
    expect(book.leased("a", at)).toBe(BigInt(slice.left) + 3000n - used);
  }
  expect(leased).toBeGreaterThan(3000n);
  expect(holds).toEqual(Array.from({ length: 30 }, (_, hold) => hold));
  expect(used).toBe(3000n);
});

test("a slice is used up to its end, exclusive", () => {
  const { leaseClient, slices } = wantingClient();
  const { attempt } = leaseClient.ask(0);
  const addition = { add: 100n, forMs: 1000, share: 100n };
  leaseClient.granted({
    attempt,
    slices: new Map([
      ["a", addition],
      ["b", addition],
    ]),
  });
  const ends = slices[0]?.until ?? 0;
  expect(ends).toBeLessThan(1000);
  expect([ends - 1, ends, ends + 1].map((now) => leaseClient.take(slices, [1, 1], now))).toEqual([
    true,
    false,
    false,
  ]);
});

test("a slice that has ended and gone back is no reason to ask at each call, and is leased anew like any other", () => {
  const leaseClient = new LeaseClient<never>("holder");
  const slice = leaseClient.slice("a");
  const grant = (now: number) => {
    const { attempt, wants } = leaseClient.ask(now);
    const isWanted = (wants.get("a")?.want ?? 0n) > 0n;
    const addition = { add: 1000n, forMs: 1000, share: 10_000n };
    leaseClient.granted({ attempt, slices: new Map(isWanted ? [["a", addition]] : []) });
  };
  for (let call = 0; call < CALLS; call += 1) leaseClient.miss(slice, 10);
  grant(0);
  expect(leaseClient.take([slice], [600], 1)).toBe(true);
  // There are no more calls, so that it goes back.
  for (const now of [2000, 2500, 3000, 3500]) grant(now);
  expect(slice.left).toBe(0);
  for (let call = 0; call < CALLS; call += 1) {
    expect(leaseClient.urgent([slice], 4000)).toBe(false);
    leaseClient.miss(slice, 10);
  }
  expect(leaseClient.wanting([slice], 4000)).toBe(true);
  grant(4000);
  expect(slice.left).toBe(1000);
});
