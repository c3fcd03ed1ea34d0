import { describe, expect, test } from "vitest";
import { LeaseLedger } from "../../../src/gate/lease/lease-ledger.ts";
import {
  type Addition,
  type LeaseRequest,
  LEASE,
  type Terms,
  type SliceWish,
} from "../../../src/gate/lease/protocol.ts";
import { MOST_NAMED, LeaseClient } from "../../../src/gate/lease/lease-client.ts";

const TERMS: Terms = { limit: 640_000n, used: 0n, lifeMs: LEASE.lifeMs, lingerMs: LEASE.longestHoldMs };
const far = () => TERMS;
const want = (left: bigint, most = 100n): SliceWish => ({ left, want: most, least: 10n });
const wantsOf = (meters: readonly string[]) => new Map(meters.map((meter) => [meter, want(0n)]));

const unnamed = (renews: number) => ({ holder: "h", attempt: 9, batches: [], wants: new Map(), renews });

/** A book in which an isolate has slices of these meters, and its next asks. */
function leased(meters: readonly string[], terms: (meter: string) => Terms | null = far) {
  const book = new LeaseLedger();
  let attempt = 0;
  const ask = (now: number, more: Partial<LeaseRequest<never>> = {}, termsOf = terms) => {
    attempt += 1;
    return book.settle<never>({ holder: "h", attempt, batches: [], wants: new Map(), ...more }, termsOf, now);
  };
  expect(ask(0, { wants: wantsOf(meters) })?.grant.slices.size).toBe(meters.length);
  const endOf = (meter: string) => book.slice("h", meter)?.until;
  return { book, ask, endOf };
}

describe("slices that an ask does not name", () => {
  test("are renewed where it says how many it keeps, and given back where it does not", () => {
    const { book, ask, endOf } = leased(["a", "b"]);
    expect(ask(500, { renews: 2 })?.grant).toMatchObject({ lapsed: [] });
    expect([endOf("a"), endOf("b")]).toEqual([1500, 1500]);
    expect(ask(600)?.changed).toEqual(new Set(["a", "b"]));
    expect(book.leased("a", 700)).toBe(0n);
  });

  test("are not renewed if the isolate has more than the book", () => {
    const { ask, endOf } = leased(["a", "b"]);
    expect(ask(500, { renews: 3 })?.grant.lapsed).toBeNull();
    expect([endOf("a"), endOf("b")]).toEqual([1000, 1000]);
    const others = { holder: "stranger", attempt: 7, batches: [], wants: new Map(), renews: 1 };
    expect(new LeaseLedger().settle(others, far, 0)?.grant.lapsed).toBeNull();
  });

  test("are looked at one by one once limits have changed, and named where their limit is over or gone", () => {
    const { book, ask, endOf } = leased(["a", "b", "c"]);
    book.pressAll();
    const now = (meter: string) =>
      meter === "a" ? null : { ...TERMS, limit: meter === "b" ? 99n : 640_000n };
    expect(book.metersOf(unnamed(3), 500)).toEqual(new Set(["a", "b", "c"]));
    const first = ask(500, { renews: 3 }, now);
    expect(first?.grant.lapsed).toEqual(["a", "b"]);
    expect(first?.grant.slices.get("c")).toMatchObject({ add: 0n, forMs: LEASE.lifeMs });
    expect([endOf("a"), endOf("b"), endOf("c")]).toEqual([1000, 1000, 1500]);
    // Only those that were not renewed are looked at again.
    expect(book.metersOf(unnamed(3), 600)).toEqual(new Set(["a", "b"]));
  });

  test("are looked at one by one after a restart, and end when storage says or a second later", () => {
    const { book } = leased(["a"]);
    const again = new LeaseLedger();
    again.restore(book.holder("h"));
    expect(again.metersOf(unnamed(1), 10)).toEqual(new Set(["a"]));
  });

  test("last no longer than their window, and the answer says so", () => {
    const { ask, endOf } = leased(["a"], () => ({ ...TERMS, endsAt: 1700 }));
    expect(ask(600, { renews: 1 })?.grant.slices.size).toBe(0);
    const ending = { ...TERMS, lifeMs: 700, endsAt: 1700 };
    expect(ask(1000, { renews: 1 }, () => ending)?.grant.slices.get("a")).toMatchObject({ forMs: 700 });
    expect(endOf("a")).toBe(1700);
    expect(ask(1700, { renews: 1 }, () => null)?.grant.lapsed).toEqual(["a"]);
  });

  test("of a short sliding window are renewed for as long as its terms say", () => {
    const short = { ...TERMS, lifeMs: 500 };
    const { ask, endOf } = leased(["a"], () => short);
    expect(ask(100, { renews: 1 })?.grant.slices.get("a")).toMatchObject({ forMs: 500 });
    expect(endOf("a")).toBe(600);
  });

  test("of a rate limit that count no more are not renewed", () => {
    const { ask } = leased(["rate\n\np"], () => ({ ...TERMS, lingerMs: 100 }));
    expect(ask(1099, { renews: 1 })?.grant.lapsed).toEqual([]);
    expect(ask(2199, { renews: 1 })?.grant.lapsed).toEqual(["rate\n\np"]);
  });

  test("of a fixed window count until it ends, however often they are renewed", () => {
    const { book, ask } = leased(["rate\n5\np"], () => ({ ...TERMS, lingerMs: 9000, endsAt: 10_000 }));
    for (const now of [500, 1000, 1500]) ask(now, { renews: 1 });
    expect([book.leased("rate\n5\np", 9999), book.leased("rate\n5\np", 10_000)]).toEqual([100n, 0n]);
  });

  test("were given by what the isolate knows now, where it says what it knows", () => {
    const { book, ask } = leased([], far);
    expect(ask(100, { wants: wantsOf(["a"]), renews: 0, mark: "one" })?.grant.lapsed).toEqual([]);
    expect(ask(200, { renews: 1, mark: "one" })?.grant.lapsed).toEqual([]);
    expect(ask(300, { renews: 1, mark: "two" })?.grant.lapsed).toEqual(["a"]);
    expect(book.slice("h", "a")?.until).toBe(1200);
  });
});

test("an ask that comes late or twice changes nothing", () => {
  const { book, ask } = leased(["a"]);
  const last = { holder: "h", attempt: 3, batches: [], wants: new Map([["a", want(100n)]]) };
  expect(book.settle(last, far, 100)).not.toBeNull();
  for (const attempt of [3, 2]) {
    const late = { ...last, attempt, wants: new Map<string, SliceWish>() };
    expect(book.settle(late, far, 200)).toBeNull();
  }
  expect(book.leased("a", 200)).toBe(100n);
  expect(ask(300)).toBeNull();
});

test("an isolate that says it keeps more than the book has gets nothing, and the book stays as it was", () => {
  const { book, ask, endOf } = leased(["a"]);
  const addition = ask(500, { wants: new Map([["a", want(500n, 1000n)]]) })?.grant.slices.get("a");
  expect(addition).toMatchObject({ add: 0n, forMs: null });
  expect([book.leased("a", 600), endOf("a")]).toEqual([100n, 1000]);
});

test("what an ask reports is used before what it asks for is sized", () => {
  const { ask } = leased(["a"]);
  const near = () => ({ ...TERMS, limit: 1000n, used: 910n });
  const batches = [{ number: 1, holds: [], used: new Map([["a", 20n]]) }];
  // 910 and 20 that are reported now, and 80 in the slice.
  const addition = ask(500, { batches, wants: new Map([["a", want(80n)]]) }, near)?.grant.slices.get("a");
  expect(addition).toMatchObject({ add: 0n, forMs: null });
});

test("a slice of which no known kind of call takes goes back with the next ask", () => {
  const leaseClient = new LeaseClient<never>("h");
  const slice = leaseClient.slice("a");
  leaseClient.retain([slice]);
  leaseClient.missAll([slice], [10]);
  const { attempt } = leaseClient.ask(0);
  const added = { add: 80n, forMs: 1000, share: 100n };
  leaseClient.granted({ attempt, slices: new Map([["a", added]]), lapsed: [] });
  leaseClient.release([slice]);
  leaseClient.missAll([leaseClient.slice("b")], [10]);
  expect(leaseClient.ask(100).wants.get("a")).toMatchObject({ left: 0n, want: 0n });
});

test("a renewal is stored once in ten seconds, and everything else at once", () => {
  const { book } = leased(["a"]);
  expect(book.mustStore("h", true, 0)).toBe(true);
  expect(book.counters("h").until).toBe(LEASE.lifeMs);
  const stored = [];
  for (let now = 250; now <= 20_000; now += 250) if (book.mustStore("h", false, now)) stored.push(now);
  expect(stored).toEqual([250, 10_500]);
  // What is stored is never earlier than what an isolate may use, and no change makes it so.
  expect(book.mustStore("h", true, 20_000)).toBe(true);
  expect(book.counters("h").until).toBe(10_500 + LEASE.lifeMs + LEASE.storedMs);
});

test("an ask names at most so many slices, and the next ones name the others", () => {
  const leaseClient = new LeaseClient<never>("h");
  for (let at = 0; at < MOST_NAMED + 100; at += 1) leaseClient.miss(leaseClient.slice(`m${at}`), 10);
  const grant = ({ attempt, wants }: LeaseRequest<never>) =>
    leaseClient.granted({
      attempt,
      slices: new Map([...wants.keys()].map((key) => [key, { add: 40n, forMs: 1000, share: 100n }])),
      lapsed: [],
    });
  const first = leaseClient.ask(0);
  expect([first.wants.size, first.renews]).toEqual([MOST_NAMED, 0]);
  grant(first);
  const second = leaseClient.ask(250);
  expect([second.wants.size, second.renews]).toEqual([100, MOST_NAMED]);
});

test("slices that no ask has named yet come before those that an unanswered one named", () => {
  const leaseClient = new LeaseClient<never>("h");
  for (let at = 0; at < MOST_NAMED + 100; at += 1) leaseClient.miss(leaseClient.slice(`m${at}`), 10);
  const first = leaseClient.ask(0);
  leaseClient.lost(first.attempt);
  const named = new Set([...first.wants.keys(), ...leaseClient.ask(250).wants.keys()]);
  expect(named.size).toBe(MOST_NAMED + 100);
});

test("one ask gives back all slices of an isolate that has no more calls, however many they are", () => {
  const leaseClient = new LeaseClient<never>("h");
  const slices = new Map<string, Addition>();
  for (let at = 0; at < 2 * MOST_NAMED; at += 1) {
    leaseClient.missAll([leaseClient.slice(`m${at}`)], [10]);
    slices.set(`m${at}`, { add: 40n, forMs: 1000, share: 100n });
  }
  leaseClient.granted({ attempt: leaseClient.ask(0).attempt, slices, lapsed: [] });
  const last = leaseClient.ask(LEASE.quietMs);
  expect([last.wants.size, last.renews]).toEqual([0, undefined]);
  leaseClient.granted({ attempt: last.attempt, slices: new Map(), lapsed: [] });
  expect(leaseClient.isActive).toBe(false);
});

test("slices that an unanswered ask named are named again, until an ask is answered", () => {
  const leaseClient = new LeaseClient<never>("h");
  leaseClient.miss(leaseClient.slice("a"), 10);
  const lost = leaseClient.ask(0);
  leaseClient.lost(lost.attempt);
  const again = leaseClient.ask(250);
  expect(again.wants.get("a")).toMatchObject({ left: 0n, want: 80n });
  leaseClient.granted({ attempt: again.attempt, slices: new Map(), lapsed: [] });
  expect(leaseClient.ask(500).wants.size).toBe(0);
});

test("an isolate that could not renew a slice for a minute gives it back: the book may not have it any more", () => {
  const leaseClient = new LeaseClient<never>("h");
  const slice = leaseClient.slice("a");
  leaseClient.missAll([slice], [10]);
  const { attempt } = leaseClient.ask(0);
  leaseClient.granted({
    attempt,
    slices: new Map([["a", { add: 40n, forMs: 1000, share: 100n }]]),
    lapsed: [],
  });
  leaseClient.missAll([slice], [10]);
  expect(leaseClient.ask(LEASE.idleMs).renews).toBe(1);
  leaseClient.missAll([slice], [10]);
  expect(leaseClient.ask(LEASE.idleMs + 1000).wants.get("a")?.left).toBe(0n);
});

/** An isolate, and an exchange in which it gets up to 40 of each slice that it asks for. */
function exchanging() {
  const leaseClient = new LeaseClient<string>("h");
  const exchange = (now: number) => {
    const { attempt, wants } = leaseClient.ask(now);
    const given = ({ left, want: most }: SliceWish) => ({
      add: most === 0n ? 0n : 40n - left,
      forMs: 1000,
      share: 100n,
    });
    const slices = new Map(Array.from(wants, ([key, asked]) => [key, given(asked)]));
    leaseClient.granted({ attempt, slices, lapsed: [] });
    return wants;
  };
  return { leaseClient, exchange };
}

test("an isolate that only reads gives back what its decisions took from, and keeps what reads take from", () => {
  const { leaseClient, exchange } = exchanging();
  const [money, reads] = [leaseClient.slice("a"), leaseClient.slice("rate\n\nread")];
  leaseClient.missAll([money], [10]);
  leaseClient.miss(reads, 1);
  exchange(0);
  expect([money.left, reads.left]).toEqual([40, 40]);
  for (let now = 250; now < LEASE.quietMs; now += 250) {
    expect(leaseClient.take([reads], [1], now)).toBe(true);
    exchange(now);
    expect(money.left).toBe(40);
  }
  expect(leaseClient.take([reads], [1], LEASE.quietMs)).toBe(true);
  expect(exchange(LEASE.quietMs).get("a")).toEqual({ left: 0n, want: 0n, least: 0n });
  expect([money.left, reads.left > 0]).toEqual([0, true]);
});

test.each(["here", "by the object"])("decisions of others that are made %s keep a slice", (where) => {
  const { leaseClient, exchange } = exchanging();
  const [money, other] = [leaseClient.slice("a"), leaseClient.slice("b")];
  leaseClient.missAll([money, other], [10, 1]);
  exchange(0);
  for (let now = 250; now <= 2 * LEASE.quietMs; now += 250) {
    if (where === "by the object") leaseClient.missAll([other], [1]);
    else if (leaseClient.take([other], [1], now)) leaseClient.note("hold");
    exchange(now);
  }
  expect(money.left).toBe(40);
});

test("what is above the isolate's part of a limit goes back with the next ask", () => {
  const leaseClient = new LeaseClient<never>("h");
  const slice = leaseClient.slice("a");
  const answer = (now: number, add: bigint, share: bigint) => {
    leaseClient.miss(slice, 10);
    const { attempt } = leaseClient.ask(now);
    leaseClient.granted({ attempt, slices: new Map([["a", { add, forMs: 1000, share }]]), lapsed: [] });
  };
  answer(0, 40n, 100n);
  answer(250, 0n, 15n);
  expect(leaseClient.ask(500).wants.get("a")?.left).toBe(15n);
});

test("an isolate renews no slice by itself where the object says that none was renewed", () => {
  const leaseClient = new LeaseClient<never>("h");
  const slice = leaseClient.slice("a");
  leaseClient.miss(slice, 10);
  const first = leaseClient.ask(0);
  const given = new Map([["a", { add: 40n, forMs: 1000, share: 100n }]]);
  leaseClient.granted({ attempt: first.attempt, slices: given, lapsed: [] });
  expect(slice.until).toBe(1000 - LEASE.guardMs);
  leaseClient.granted({ attempt: leaseClient.ask(250).attempt, slices: new Map(), lapsed: null });
  expect(slice.until).toBe(1000 - LEASE.guardMs);
  leaseClient.granted({ attempt: leaseClient.ask(500).attempt, slices: new Map(), lapsed: [] });
  expect(slice.until).toBe(1500 - LEASE.guardMs);
});

test("a named slice counts as kept what was used of it and does not fit into the report", () => {
  const leaseClient = new LeaseClient<string>("h", { batchBytes: 100, reportBytes: 100, weigh: () => 100 });
  const slice = leaseClient.slice("a");
  leaseClient.miss(slice, 100);
  const first = leaseClient.ask(0);
  const given = new Map([["a", { add: 1000n, forMs: 1000, share: 5000n }]]);
  leaseClient.granted({ attempt: first.attempt, slices: given, lapsed: [] });
  for (let call = 0; call < 5; call += 1) {
    expect(leaseClient.take([slice], [100], 1)).toBe(true);
    leaseClient.note(`hold ${call}`);
  }
  const { batches, wants } = leaseClient.ask(250);
  expect(batches.map(({ holds }) => holds)).toEqual([["hold 0"]]);
  // Four of five are not reported yet.
  expect(wants.get("a")?.left).toBe(500n + 400n);
});
