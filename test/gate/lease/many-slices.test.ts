import { expect, test } from "vitest";
import { LeaseLedger, MOST_SLICES } from "../../../src/gate/lease/lease-ledger.ts";
import type { SliceWish } from "../../../src/gate/lease/protocol.ts";

const terms = () => ({ limit: 1_000_000n, used: 0n, lifeMs: 1000, lingerMs: 900_000 });
const names = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `m${from + at}`);

/** An isolate that asks for so many meters, keeping what it has of some. */
function askAsIsolate(book: LeaseLedger) {
  let attempt = 0;
  return (wanted: readonly string[], kept: readonly string[], now: number) => {
    attempt += 1;
    const wants = new Map<string, SliceWish>();
    for (const meter of kept) wants.set(meter, { left: 100n, want: 100n, least: 10n });
    for (const meter of wanted) wants.set(meter, { left: 0n, want: 100n, least: 10n });
    const settled = book.settle({ holder: "h", attempt, batches: [], wants }, terms, now);
    return [...(settled?.grant.slices ?? [])].filter(([, { add }]) => add > 0n).map(([meter]) => meter);
  };
}

test("an isolate has no more slices than are stored together, and gets others for those that it gives back", () => {
  const book = new LeaseLedger();
  const ask = askAsIsolate(book);
  const first = ask(names(0, MOST_SLICES + 500), [], 0);
  expect(first).toEqual(names(0, MOST_SLICES));
  expect(book.holder("h").slices).toHaveLength(MOST_SLICES);
  // Those that it keeps are renewed, and for one that it gives back it gets one.
  const second = ask(names(MOST_SLICES, MOST_SLICES + 10), first.slice(1), 500);
  expect(second).toEqual([`m${MOST_SLICES}`]);
  expect(book.holder("h").slices).toHaveLength(MOST_SLICES);
  expect(book.leased("m1", 1400)).toBe(100n);
  expect(book.leased("m0", 1400)).toBe(0n);
  // Another isolate has its own.
  const wants = new Map([["m0", { left: 0n, want: 100n, least: 10n }]]);
  const other = book.settle({ holder: "other", attempt: 1, batches: [], wants }, terms, 600);
  expect(other?.grant.slices.get("m0")?.add).toBe(100n);
});

test("all isolates together have no more slices than the object has memory for", () => {
  const book = new LeaseLedger();
  for (let isolate = 0; isolate < 3; isolate += 1) {
    const wants = new Map(
      names(0, MOST_SLICES).map((meter) => [meter, { left: 0n, want: 100n, least: 10n }]),
    );
    book.settle({ holder: `h${isolate}`, attempt: 1, batches: [], wants }, terms, 0);
    expect(book.holder(`h${isolate}`).slices).toHaveLength(MOST_SLICES);
  }
  const wants = new Map([["m0", { left: 0n, want: 100n, least: 10n }]]);
  const late = { holder: "late", attempt: 1, batches: [], wants };
  expect(book.settle(late, terms, 1)?.grant.slices.get("m0")?.add).toBe(0n);
  // One that is given back makes room.
  book.settle({ holder: "h0", attempt: 2, batches: [], wants: new Map() }, terms, 2);
  expect(book.settle({ ...late, attempt: 2 }, terms, 3)?.grant.slices.get("m0")?.add).toBe(100n);
});
