import { expect, test } from "vitest";
import { LeaseLedger, mayCover } from "../../../src/gate/lease/lease-ledger.ts";

const RATE = "rate\n\npolicy";
const MONEY = "money";
const terms = (meter: string) => ({
  limit: 6400n,
  used: 0n,
  lifeMs: 100,
  lingerMs: meter === RATE ? 1000 : 900_000,
});
const want = (left: bigint) => ({ left, want: 10n, least: 1n });

function leased(): LeaseLedger {
  const book = new LeaseLedger();
  const wants = new Map([RATE, MONEY].map((meter) => [meter, want(0n)]));
  book.settle({ holder: "gate", attempt: 1, batches: [], wants }, terms, 0);
  return book;
}

const covered = (book: LeaseLedger, now: number) =>
  book
    .holder("gate")
    .slices.filter(([meter, slice]) => mayCover(meter, slice, now))
    .map(([meter]) => meter);

test("a slice of a rate limit counts for a window, and covers holds for as long as they may be reported", () => {
  const book = leased();
  for (const now of [1099, 1100, 900_099]) {
    expect(book.sweep(now).orphans).toEqual([]);
    expect(covered(book, now)).toEqual([RATE, MONEY]);
    expect(book.leased(RATE, now)).toBe(now < 1100 ? 10n : 0n);
  }
  expect(covered(book, 900_100)).toEqual([]);
  expect(book.sweep(900_100).orphans.map(({ meter }) => meter)).toEqual([RATE, MONEY]);
});

test("a slice that counts no more is not renewed", () => {
  const book = leased();
  const ask = { holder: "gate", attempt: 2, batches: [], wants: new Map([[RATE, want(10n)]]) };
  const settled = book.settle(ask, terms, 5000);
  expect(settled?.grant.slices.get(RATE)).toMatchObject({ add: 0n, forMs: null });
  expect(book.leased(RATE, 5000)).toBe(0n);
  expect(covered(book, 5000)).toEqual([RATE]);
});

test("a slice was given when it was first given, however often it is renewed", () => {
  const book = leased();
  const wants = new Map([[MONEY, want(10n)]]);
  book.settle({ holder: "gate", attempt: 2, batches: [], wants }, terms, 50);
  expect(book.holder("gate").slices.map(([, { since }]) => since)).toEqual([0]);
  book.settle({ holder: "gate", attempt: 3, batches: [], wants: new Map() }, terms, 60);
  const again = { holder: "gate", attempt: 4, batches: [], wants: new Map([[MONEY, want(0n)]]) };
  book.settle(again, terms, 70);
  expect(book.holder("gate").slices.map(([, { since }]) => since)).toEqual([70]);
});

test("what was held is covered as far as the slice goes, and not at all once the slice was taken back", () => {
  const moveOf = (book: LeaseLedger, used: bigint, now: number) => {
    const batches = [{ number: 1, holds: [], used: new Map([[MONEY, used]]) }];
    return book
      .settle({ holder: "gate", attempt: 2, batches, wants: new Map() }, terms, now)
      ?.moves.get(MONEY);
  };
  expect(moveOf(leased(), 4n, 50)).toMatchObject({ used: 4n, covered: 4n, returned: 6n });
  expect(moveOf(leased(), 14n, 50)).toMatchObject({ used: 14n, covered: 10n, returned: 0n });
  const swept = leased();
  swept.sweep(900_100);
  expect(moveOf(swept, 4n, 900_100)).toMatchObject({ used: 4n, covered: 0n, returned: 0n });
});
